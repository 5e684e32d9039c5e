import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../timeout.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';

/** Maximum bytes of audio, cues and words in the cache. */
const maxBytes = 24 * 1024 * 1024;

/**
 * Caches sentences: scripts repeat them in many sessions. Concurrent requests for a sentence share one synthesis, which is aborted when all
 * of them are aborted.
 */
export function cached(speech: Speech): Speech {
  const known = new LRUCache<string, Spoken>({
    maxSize: maxBytes,
    sizeCalculation: ({ audio, cues, words }) => audio.byteLength + 64 * (cues.length + words.length) + 1,
  });
  const inFlight = new Map<string, InFlight>();

  function ask(key: string, sentence: Sentence): InFlight {
    const stop = new AbortController();
    const asked: InFlight = { spoken: speech.speak(sentence, stop.signal), waiting: 0, stop };
    inFlight.set(key, asked);
    const done = (spoken?: Spoken) => {
      if (inFlight.get(key) === asked) inFlight.delete(key);
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
    const asked = inFlight.get(key) ?? ask(key, sentence);
    asked.waiting++;
    try {
      return await unlessAborted(asked.spoken, signal);
    } finally {
      asked.waiting--;
      if (asked.waiting === 0 && inFlight.get(key) === asked) {
        inFlight.delete(key);
        asked.stop.abort(new Error('no session waits for this sentence'));
      }
    }
  }
  return { ...speech, speak };
}

/** A synthesis in flight. */
interface InFlight {
  spoken: Promise<Spoken>;
  waiting: number;
  stop: AbortController;
}
