import { decomposed } from '../../decomposed.ts';
import { wordsOf } from '../../segmenters.ts';

/** Removes case, accents and apostrophe variants, so that texts compare equal without them. */
export function fold(text: string): string {
  return decomposed(text)
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'");
}

/** Maximum characters of a text that a script parses, to bound the time. */
const longestRead = 1000;

/** The part of a text that a script parses. */
export function truncated(text: string): string {
  return text.length > longestRead ? text.slice(0, longestRead) : text;
}

/** Two or more characters that belong to no word. A single one can occur inside a word, as in `don't` and `3.5`. */
const betweenWords = /[^\p{L}\p{M}\p{N}]{2,}/gu;

/** The words of a text, folded. */
export function wordsIn(text: string, locale: string): string[] {
  return Array.from(wordsOf(fold(text).replace(betweenWords, ' '), locale), ({ word }) => word);
}

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A phrase to search for in texts, parsed once. */
export class Phrase {
  readonly words: string[];
  /** Scripts without spaces have no word boundaries: the phrase matches anywhere. */
  readonly isTight: boolean;
  readonly text: string;

  constructor(text: string, locale: string) {
    this.words = wordsIn(text, locale);
    this.isTight = withoutSpaces.test(text);
    this.text = this.isTight ? this.words.join('') : ` ${this.words.join(' ')} `;
  }
}

/** The words of a text, indexed for phrase searches. */
export class WordIndex {
  readonly words: readonly string[];
  readonly #spaced: string;
  readonly #joined: string;

  constructor(words: readonly string[]) {
    this.words = words;
    this.#spaced = ` ${words.join(' ')} `;
    this.#joined = words.join('');
  }

  /** Whether the text contains a phrase as whole words. */
  has({ text, words, isTight }: Phrase): boolean {
    return words.length > 0 && (isTight ? this.#joined : this.#spaced).includes(text);
  }

  /** Whether the text is the phrase with at most a few extra words. */
  is(phrase: Phrase): boolean {
    const { words, text, isTight } = phrase;
    const isShort = isTight
      ? this.#joined.length <= text.length * 2 + 2
      : this.words.length <= words.length + 2;
    return isShort && this.has(phrase);
  }
}
