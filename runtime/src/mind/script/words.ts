/** Case and accents do not matter to a listener. */
export function fold(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'");
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(locale: string): Intl.Segmenter {
  const known = segmenters.get(locale);
  if (known !== undefined) return known;
  const made = new Intl.Segmenter(locale, { granularity: 'word' });
  segmenters.set(locale, made);
  return made;
}

/** The words of a text, folded. */
export function wordsIn(text: string, locale: string): string[] {
  return [...segmenter(locale).segment(fold(text))]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** A text made ready for looking up phrases in it. */
export class Heard {
  readonly words: string[];
  readonly #spaced: string;
  readonly #joined: string;

  constructor(text: string, locale: string) {
    this.words = wordsIn(text, locale);
    this.#spaced = ` ${this.words.join(' ')} `;
    this.#joined = this.words.join('');
  }

  /** Whether a phrase stands in it, as whole words. Scripts without spaces have none, so there any place counts. */
  has(phrase: string, locale: string): boolean {
    const words = wordsIn(phrase, locale);
    if (words.length === 0) return false;
    return withoutSpaces.test(phrase)
      ? this.#joined.includes(words.join(''))
      : this.#spaced.includes(` ${words.join(' ')} `);
  }

  /** Whether it is little more than the phrase. */
  is(phrase: string, locale: string): boolean {
    const words = wordsIn(phrase, locale);
    if (withoutSpaces.test(phrase)) {
      const length = words.join('').length;
      return this.has(phrase, locale) && this.#joined.length <= length * 2 + 2;
    }
    return this.has(phrase, locale) && this.words.length <= words.length + 2;
  }
}

/** How much two texts have in common, from 0 to 1, by the edits that turn one into the other. */
export function likeness(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  if (left.length === 0 || right.length === 0) return 0;
  let row = right.map((_, index) => index + 1);
  for (const [i, letter] of left.entries()) {
    let diagonal = i;
    let before = i + 1;
    row = row.map((above, j) => {
      const cost = Math.min(above + 1, before + 1, diagonal + (letter === right[j] ? 0 : 1));
      diagonal = above;
      before = cost;
      return cost;
    });
  }
  return 1 - row.at(-1)! / Math.max(left.length, right.length);
}
