import { execFileSync } from 'node:child_process';
import { readWav } from '@session-launch/process/wav';
import { concatenated } from '../../src/samples.ts';

const sampleRate = 16_000;

/** What visitors of the demo might say. */
export const sentences = [
  'When do the ferries leave?',
  'How much is a ticket to the island?',
  'What is the best time to see the whales?',
  'Tell me about the old lighthouse.',
  'Is there a good place to eat near the harbor?',
  'I would like to come back tomorrow morning.',
  'My sister lives in a small house by the sea.',
  'Could you say that again, please?',
  'Thank you very much for your help.',
  'Where does the night train go?',
];

/** Adds the silence before and after a turn that a detected turn has. */
export function asTurn(samples: Int16Array): Int16Array {
  return concatenated([new Int16Array(0.3 * sampleRate), samples, new Int16Array(0.5 * sampleRate)]);
}

/** Speaks a sentence with the installed program eSpeak NG. */
export function espeak(program: string, text: string): Int16Array {
  const wav = readWav(
    execFileSync(program, ['-v', 'en', '-s', '140', '--stdout', text], {
      maxBuffer: 16 * 1024 * 1024,
    }),
  )!;
  return resampled(wav.samples, wav.sampleRate);
}

/** Resamples by a windowed sinc. */
function resampled(samples: Int16Array, rate: number): Int16Array {
  const step = rate / sampleRate;
  const half = 24;
  const cutoff = 0.95 / Math.max(1, step);
  return Int16Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    const centre = index * step;
    let sum = 0;
    for (
      let at = Math.max(0, Math.ceil(centre - half));
      at <= Math.min(samples.length - 1, centre + half);
      at++
    ) {
      const x = at - centre;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / half);
      const sinc = x === 0 ? cutoff : Math.sin(Math.PI * cutoff * x) / (Math.PI * x);
      sum += samples[at]! * window * sinc;
    }
    return Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  });
}

/** Words that were misheard, missed or added. */
export function wordErrors(said: string, heard: string): number {
  const [from, to] = [wordsOf(said), wordsOf(heard)];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [line, word] of from.entries()) {
    const current = [line + 1];
    for (const [column, other] of to.entries())
      current.push(
        Math.min(last[column + 1]! + 1, current[column]! + 1, last[column]! + (word === other ? 0 : 1)),
      );
    last = current;
  }
  return last.at(-1)!;
}

/** The words of a text, in one spelling. */
export function wordsOf(text: string): string[] {
  const american = text
    .toLowerCase()
    .replace(/to-(morrow|night|day)/g, 'to$1')
    .replace(/harbour/g, 'harbor')
    .replace(/\bany one/g, 'anyone')
    .replace(/\blight house/g, 'lighthouse');
  return american.match(/[\p{L}\p{N}']+/gu) ?? [];
}
