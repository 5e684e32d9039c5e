import { editDistance } from '@session-launch/process/edit-distance';

/** Minimum words of an echo: shorter ones, such as "yes, please", may be meant. */
const fewest = 4;
/** Minimum share of words that have to match: recognition of an echo is worse than that of a voice. */
const share = 0.75;

/** Whether `heard` is a part of `said`, apart from a few words that were misheard. */
export function isPartOf(heard: string, said: string): boolean {
  const words = wordsOf(heard);
  const all = wordsOf(said);
  if (words.length < fewest) return false;
  for (let at = 0; at + words.length <= all.length; at++) {
    const matches = words.filter((word, index) => isAlike(word, all[at + index]!)).length;
    if (matches >= words.length * share) return true;
  }
  return false;
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

function isAlike(a: string, b: string): boolean {
  return a === b || (a.length > 3 && editDistance(a, b, 1) <= 1);
}
