import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../endpoint.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';

/** Maximum bytes of audio, cues and words in the cache. */
const most = 24 * 1024 * 1024;

/**
 * Caches sentences: scripts repeat them in many sessions. Concurrent requests for a sentence share one synthesis, which is aborted when all
 * of them are aborted.
 */
export function cached(speech: Speech): Speech {
  const known = new LRUCache<string, Spoken>({
    maxSize: most,
    sizeCalculation: ({ audio, cues, words }) => audio.byteLength + 64 * (cues.length + words.length) + 1,
  });
  const underWay = new Map<string, Asked>();

  function ask(key: string, sentence: Sentence): Asked {
    const stop = new AbortController();
    const asked: Asked = { spoken: speech.speak(sentence, stop.signal), waiting: 0, stop };
    underWay.set(key, asked);
    const done = (spoken?: Spoken) => {
      if (underWay.get(key) === asked) underWay.delete(key);
      if (spoken !== undefined) known.set(key, spoken);
    };
    asked.spoken.then(done, () => done());
    return asked;
  }

  async function speak(sentence: Sentence, signal: AbortSignal): Promise<Spoken> {
    const { text, locale, voice } = sentence;
    const key = JSON.stringify([text, locale, voice.pace, voice.settings]);
    signal.throwIfAborted();
    const found = known.get(key);
    if (found !== undefined) return found;
    const asked = underWay.get(key) ?? ask(key, sentence);
    asked.waiting++;
    try {
      return await unlessAborted(asked.spoken, signal);
    } finally {
      asked.waiting--;
      if (asked.waiting === 0 && underWay.get(key) === asked) {
        underWay.delete(key);
        asked.stop.abort(new Error('no session waits for this sentence'));
      }
    }
  }
  return { ...speech, speak };
}

/** A synthesis in flight. */
interface Asked {
  spoken: Promise<Spoken>;
  waiting: number;
  stop: AbortController;
}
