import { editDistance } from '@session-launch/process/edit-distance';

/** Minimum and maximum letters of a word that is corrected. */
const shortest = 4;
const longest = 40;
/** Maximum share of wrong letters in a word, and their maximum number. */
const wrongShare = 0.34;
const maxWrong = 3;
/** Maximum difference in length between a word and its correction, in letters. */
const maxLonger = 2;

/** Corrects words to the nearest words of a vocabulary. */
export class Spelling {
  /** The vocabulary by first letter: typing errors rarely affect it. */
  readonly #byFirst = new Map<string, string[]>();

  constructor(vocabulary: Iterable<string>) {
    for (const word of vocabulary) {
      if (word.length < shortest || word.length > longest + maxLonger) continue;
      const same = this.#byFirst.get(word[0]!);
      if (same === undefined) this.#byFirst.set(word[0]!, [word]);
      else same.push(word);
    }
  }

  /** Returns the word of the vocabulary with the smallest edit distance, or `undefined` if none is close enough. */
  nearest(word: string): string | undefined {
    if (word.length < shortest || word.length > longest) return undefined;
    let max = Math.min(maxWrong, Math.floor(word.length * wrongShare));
    let best: string | undefined;
    for (const candidate of this.#byFirst.get(word[0]!) ?? []) {
      if (Math.abs(candidate.length - word.length) > maxLonger) continue;
      const edits = editDistance(word, candidate, max);
      if (edits > max) continue;
      best = candidate;
      if (edits <= 1) return best;
      max = edits - 1;
    }
    return best;
  }
}
