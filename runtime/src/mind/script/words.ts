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
