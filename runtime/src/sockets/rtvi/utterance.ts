import type { RuntimeEvent, WordTime } from '@session-launch/contract/runtime/protocol';

type Begun = Extract<RuntimeEvent, { type: 'utterance' }>;

export interface Progress {
  /** The words that began since the last call. */
  words: string[];
  said: string;
  rest: string;
}

/** An utterance, and how much of it has been played. */
export class Utterance {
  readonly id: number;
  readonly text: string;
  readonly hasSound: boolean;
  #words: WordTime[] = [];
  #begun = 0;

  constructor({ utterance, text, speech }: Begun) {
    this.id = utterance;
    this.text = text;
    this.hasSound = speech === 'server';
  }

  setWords(words: WordTime[]): void {
    this.#words = words;
  }

  /** Returns the progress if words have begun since the last call. */
  playedUpTo(ms: number): Progress | undefined {
    const begun = this.#words.findLastIndex(([at]) => at < ms) + 1;
    if (begun <= this.#begun) return undefined;
    const words = this.#words.slice(this.#begun, begun).map((_, i) => this.#word(this.#begun + i));
    this.#begun = begun;
    const end = this.#startOf(begun);
    return { words, said: this.text.slice(0, end).trimEnd(), rest: this.text.slice(end) };
  }

  /** A word with the punctuation around it. */
  #word(index: number): string {
    return this.text.slice(index === 0 ? 0 : this.#startOf(index), this.#startOf(index + 1)).trim();
  }

  #startOf(index: number): number {
    return this.#words[index]?.[1] ?? this.text.length;
  }
}
