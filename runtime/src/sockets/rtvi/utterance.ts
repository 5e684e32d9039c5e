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
  readonly hasSound: boolean;
  readonly #messageId: string;
  /** Where the utterance begins in its message. */
  readonly #start: number;
  #text: string;
  /** Whether its speech still arrives, so that its text may grow. */
  #isOpen = true;
  readonly #words: WordTime[] = [];
  #begun = 0;

  /** `message`: the text of the message so far, which ends with that of the utterance. */
  constructor({ utterance, messageId, text, speech }: Begun, message: string) {
    this.id = utterance;
    this.hasSound = speech === 'server';
    this.#messageId = messageId;
    this.#start = Math.max(0, message.length - text.length);
    this.#text = text;
  }

  get text(): string {
    return this.#text;
  }

  /** Takes the text of a message as far as it is known. */
  extend(messageId: string, message: string): void {
    if (this.#isOpen && messageId === this.#messageId) this.#text = message.slice(this.#start);
  }

  /** `hasMore`: further words follow. */
  addWords(words: readonly WordTime[], hasMore: boolean): void {
    this.#words.push(...words);
    this.#isOpen = hasMore;
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
