import type { WordTime } from '@session-launch/contract/runtime/protocol';
import type { Phone } from './phones.ts';
import { wordOffsets } from './speech-timing.ts';

/**
 * Start times of the words of a text. The engine does not report which phone belongs to which word, so the phones between two pauses are
 * distributed over the words in proportion to their letters; each word starts at the start of a phone.
 */
export function wordTimes(text: string, phones: readonly Phone[]): WordTime[] {
  const stretches = stretchesOf(phones);
  const words = wordOffsets(text);
  const phrases = phrasesOf(text, words);
  if (phrases.length === stretches.length)
    return phrases.flatMap((phrase, index) => shareOut(phrase, stretches[index]!));
  return shareOut(words, stretches.flat());
}

type Place = [start: number, end: number];
/** Consecutive phones without a pause between them, with their start and end times. */
type Stretch = { startMs: number; endMs: number }[];

function stretchesOf(phones: readonly Phone[]): Stretch[] {
  const stretches: Stretch[] = [];
  let [startMs, isOpen] = [0, false];
  for (const { name, endMs } of phones) {
    if (name === 'pau') isOpen = false;
    else {
      if (!isOpen) stretches.push([]);
      isOpen = true;
      stretches.at(-1)!.push({ startMs, endMs });
    }
    startMs = endMs;
  }
  return stretches;
}

function phrasesOf(text: string, words: Place[]): Place[][] {
  const phrases: Place[][] = [];
  let last: Place | undefined;
  for (const word of words) {
    const between = last === undefined ? '' : text.slice(last[1], word[0]);
    if (last === undefined || /[.!?;:,…—]/.test(between)) phrases.push([]);
    phrases.at(-1)!.push(word);
    last = word;
  }
  return phrases;
}

function shareOut(words: Place[], stretch: Stretch): WordTime[] {
  const letters = words.reduce((sum, [start, end]) => sum + end - start, 0) || 1;
  let before = 0;
  return words.map(([start, end]) => {
    const phone = stretch[Math.min(stretch.length - 1, Math.round((before / letters) * stretch.length))];
    before += end - start;
    return [Math.round(phone?.startMs ?? 0), start, end];
  });
}
