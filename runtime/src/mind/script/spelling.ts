import { editDistance } from './edit-distance.ts';

/** Shortest and longest word, in letters, that is corrected. */
const shortest = 4;
const longest = 40;
/** Share of the letters of a word that may be wrong, and at most how many. */
const wrongShare = 0.34;
const mostWrong = 3;
/** Maximum difference in length between a word and its correction. */
const mostLonger = 2;

/** Corrects words to the nearest ones of a vocabulary. */
export class Spelling {
  /** Words by their first letter: hardly anybody gets that one wrong. */
  readonly #byFirst = new Map<string, string[]>();

  constructor(vocabulary: Iterable<string>) {
    for (const word of vocabulary) {
      if (word.length < shortest || word.length > longest + mostLonger) continue;
      const same = this.#byFirst.get(word[0]!);
      if (same === undefined) this.#byFirst.set(word[0]!, [word]);
      else same.push(word);
    }
  }

  /** The word of the vocabulary that needs the fewest edits, or `undefined` when none is close. */
  nearest(word: string): string | undefined {
    if (word.length < shortest || word.length > longest) return undefined;
    let most = Math.min(mostWrong, Math.floor(word.length * wrongShare));
    let best: string | undefined;
    for (const candidate of this.#byFirst.get(word[0]!) ?? []) {
      if (Math.abs(candidate.length - word.length) > mostLonger) continue;
      const edits = editDistance(word, candidate, most);
      if (edits > most) continue;
      best = candidate;
      if (edits <= 1) return best;
      most = edits - 1;
    }
    return best;
  }
}
