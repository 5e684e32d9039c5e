import { segmenterFor } from './segmenters.ts';

/** Minimum characters of a clause that may end the first piece, so that playback starts earlier. */
const firstClause = 24;
/** Minimum characters that must follow such a clause in its sentence. */
const minRest = 12;
/** Maximum characters of a piece. */
const longest = 280;
/** Characters at the start of the buffered text that are searched for the end of the next piece. */
const searched = 2 * longest;
const abbreviation =
  /(?:^|[\s(])(?:\p{Lu}|Dr|Mr|Mrs|Ms|St|Sr|Sra|Srta|Prof|Nr|No|vs|etc|e\.g|i\.e|z\.B|usw|bzw|ca)\.\s*$/u;

/** Splits streamed text into pieces for speech synthesis. */
export class Sentences {
  readonly #segmenter: Intl.Segmenter;
  #text = '';
  #isFirst: boolean;

  constructor(locale: string, isFirst = true) {
    this.#segmenter = segmenterFor(locale, 'sentence');
    this.#isFirst = isFirst;
  }

  /** Appends text; returns the pieces that are now complete. */
  push(text: string): string[] {
    this.#text += text;
    const pieces: string[] = [];
    for (;;) {
      const length = this.#whole();
      if (length === 0) return pieces;
      pieces.push(...this.#take(length));
    }
  }

  /** Returns the remaining pieces at the end of the stream. */
  end(): string[] {
    const pieces: string[] = [];
    while (this.#text.trim() !== '') pieces.push(...this.#take(this.#whole() || this.#text.length));
    return pieces;
  }

  #take(length: number): string[] {
    const piece = this.#text.slice(0, length).trim();
    this.#text = this.#text.slice(length);
    if (piece === '') return [];
    this.#isFirst = false;
    return [piece];
  }

  /** Length of the first complete piece; 0 if there is none. */
  #whole(): number {
    this.#text = this.#text.trimStart();
    const text = this.#text.slice(0, searched);
    const sentence = this.#firstSentence(text);
    const end = sentence === 0 ? text.length : sentence;
    if (this.#isFirst) {
      const clause = clauseEnd(text.slice(0, end), firstClause);
      if (clause > 0 && end - clause >= minRest) return clause;
    }
    if (sentence > 0 && sentence <= longest) return sentence;
    if (end <= longest) return 0;
    const part = text.slice(0, longest);
    return Math.max(lastClauseEnd(part), part.lastIndexOf(' ') + 1) || longest;
  }

  /** Length of the first sentence; 0 while no text follows it, because it may continue. */
  #firstSentence(text: string): number {
    let end = 0;
    for (const { segment } of this.#segmenter.segment(text)) {
      end += segment.length;
      if (end >= text.length) return 0;
      if (!abbreviation.test(segment)) return end;
    }
    return 0;
  }
}

function clauseEnd(text: string, from: number): number {
  const found = /[,;:、，；：—–]["”’»)]*\s+|[、，；：]/u.exec(text.slice(from - 1));
  return found === null ? 0 : from - 1 + found.index + found[0].length;
}

function lastClauseEnd(text: string): number {
  const ends = [', ', '; ', ': ', '、', '，'].map((mark) => {
    const at = text.lastIndexOf(mark);
    return at < 0 ? 0 : at + mark.length;
  });
  return Math.max(...ends);
}

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？」）]$/u;

/** Joins pieces, without spaces after scripts that do not use them. */
export function joined(pieces: readonly string[]): string {
  return pieces.map((piece, n) => piece + (n + 1 < pieces.length && needsSpace(piece) ? ' ' : '')).join('');
}

const needsSpace = (piece: string) => piece !== '' && !withoutSpaces.test(piece.slice(-2));
