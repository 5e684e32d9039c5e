import { decomposed } from '../../decomposed.ts';
import { wordsOf } from '../../segmenters.ts';

/** A text without what does not matter to a listener: case, accents and kinds of apostrophes. */
export function fold(text: string): string {
  return decomposed(text)
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'");
}

/** Maximum characters of a text that a script reads: no question is longer, and the time to read it is bounded. */
const longestRead = 1000;

/** The part of a text that a script reads. */
export function readable(text: string): string {
  return text.length > longestRead ? text.slice(0, longestRead) : text;
}

/** Runs of characters that are in no word: only a single one of them can stand inside a word, as in `don't` and `3.5`. */
const betweenWords = /[^\p{L}\p{M}\p{N}]{2,}/gu;

/** The words of a text, folded. */
export function wordsIn(text: string, locale: string): string[] {
  return Array.from(wordsOf(fold(text).replace(betweenWords, ' '), locale), ({ word }) => word);
}

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Something to look for in texts, made ready once. */
export class Phrase {
  readonly words: string[];
  /** Scripts without spaces have no whole words, so there any place counts. */
  readonly isTight: boolean;
  readonly text: string;

  constructor(text: string, locale: string) {
    this.words = wordsIn(text, locale);
    this.isTight = withoutSpaces.test(text);
    this.text = this.isTight ? this.words.join('') : ` ${this.words.join(' ')} `;
  }
}

/** The words of a text, prepared for looking up phrases in them. */
export class Heard {
  readonly words: readonly string[];
  readonly #spaced: string;
  readonly #joined: string;

  constructor(words: readonly string[]) {
    this.words = words;
    this.#spaced = ` ${words.join(' ')} `;
    this.#joined = words.join('');
  }

  /** Whether a phrase stands in it, as whole words. */
  has({ text, words, isTight }: Phrase): boolean {
    return words.length > 0 && (isTight ? this.#joined : this.#spaced).includes(text);
  }

  /** Whether it is little more than the phrase. */
  is(phrase: Phrase): boolean {
    const { words, text, isTight } = phrase;
    const isShort = isTight
      ? this.#joined.length <= text.length * 2 + 2
      : this.words.length <= words.length + 2;
    return isShort && this.has(phrase);
  }
}
