import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { Said } from '../mind/mind.ts';
import { Sentences } from '../sentences.ts';
import { Bell } from './bell.ts';
import type { Voiced } from './voicing.ts';

/** A part of a message that is synthesised as one utterance. */
export interface Piece extends Said {
  voiced: Promise<Voiced>;
}

export interface PiecesDeps {
  clock: Clock;
  /** Starts the synthesis of a piece. */
  voice(said: Said): Promise<Voiced>;
  /** Whether synthesis should pause: the client is disconnected, or its unread bytes exceed the limit. */
  isFull(): boolean;
  /** Returns a sentence that replaces the rest of the message when the mind fails. */
  failed(error: Error): Said | undefined;
}

/** Maximum pieces that are synthesised ahead of playback. */
const ahead = 2;
const patienceMs = 20_000;
const fullCheckMs = 50;

/** Reads a mind's output as a stream, splits it into pieces and synthesises up to `ahead` of them in advance. */
export class Pieces {
  readonly #deps: PiecesDeps;
  readonly #signal: AbortSignal;
  readonly #ready: Piece[] = [];
  #isOver = false;
  readonly #bell: Bell;

  constructor(deps: PiecesDeps, said: AsyncIterable<Said>, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#bell = new Bell(deps.clock);
    signal.addEventListener('abort', () => this.#bell.ring(), { once: true });
    void this.#take(said);
  }

  /** Returns the next piece; `undefined` at the end of the message or after an abort. */
  async next(): Promise<Piece | undefined> {
    while (this.#ready.length === 0 && !this.#isOver && !this.#signal.aborted) await this.#bell.wait();
    const piece = this.#signal.aborted ? undefined : this.#ready.shift();
    this.#bell.ring();
    return piece;
  }

  async #take(said: AsyncIterable<Said>): Promise<void> {
    let isFirst = true;
    const iterator = said[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await this.#inTime(iterator.next());
        if (done || this.#signal.aborted) break;
        for (const text of cut(value, isFirst)) await this.#add({ ...value, text });
        isFirst = false;
      }
    } catch (error) {
      if (!this.#signal.aborted) {
        const instead = this.#deps.failed(error as Error);
        if (instead !== undefined) await this.#add(instead);
      }
    } finally {
      this.#isOver = true;
      this.#bell.ring();
      // Does not wait for `return`: a hanging mind would never resolve it.
      void iterator.return?.()?.catch(() => {});
    }
  }

  async #add(said: Said): Promise<void> {
    while (this.#ready.length >= ahead && !this.#signal.aborted) await this.#bell.wait();
    while (this.#deps.isFull() && !this.#signal.aborted) await this.#bell.wait(fullCheckMs);
    if (this.#signal.aborted) return;
    const voiced = this.#deps.voice(said);
    // Prevents an unhandled rejection before the piece is taken; its consumer awaits `voiced` and gets the error.
    voiced.catch(() => {});
    this.#ready.push({ ...said, voiced });
    this.#bell.ring();
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deps.clock.after(patienceMs, () =>
        reject(new EngineError(0, 'the mind did not answer in time')),
      );
      const leave = () => reject(this.#signal.reason);
      this.#signal.addEventListener('abort', leave, { once: true });
      work.then(resolve, reject).finally(() => {
        cancel();
        this.#signal.removeEventListener('abort', leave);
      });
    });
  }
}

function cut({ text, locale }: Said, isFirst: boolean): string[] {
  const sentences = new Sentences(locale, isFirst);
  return [...sentences.push(text), ...sentences.end()];
}
