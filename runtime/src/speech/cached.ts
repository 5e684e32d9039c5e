import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../endpoint.ts';
import type { Sentence, Speech, Spoken } from './speech.ts';

const most = 24 * 1024 * 1024;

/**
 * Scripts say the same sentences in many sessions: each is spoken once. Who asks while it is being spoken joins; it is given up
 * only when nobody waits for it any more.
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
        asked.stop.abort(new Error('nobody waits for this sentence'));
      }
    }
  }
  return { ...speech, speak };
}

/** A sentence that is being spoken. */
interface Asked {
  spoken: Promise<Spoken>;
  waiting: number;
  stop: AbortController;
}
