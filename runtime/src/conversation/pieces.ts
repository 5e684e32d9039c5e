import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { Said } from '../mind/mind.ts';
import { Sentences } from '../sentences.ts';
import { Bell } from './bell.ts';
import type { Voiced } from './voicing.ts';

/** A part of a message that is spoken in one go. */
export interface Piece extends Said {
  voiced: Promise<Voiced>;
}

export interface PiecesDeps {
  clock: Clock;
  /** Begins to speak. */
  voice(said: Said): Promise<Voiced>;
  /** Whether no further piece should be synthesised for now: the client is disconnected, or has not read what was sent. */
  isFull(): boolean;
  /** A sentence instead of the rest, when the mind fails. */
  failed(error: Error): Said | undefined;
}

/** So many pieces are spoken before their turn comes. */
const ahead = 2;
const patienceMs = 20_000;
const fullCheckMs = 50;

/** Takes what a mind says as it comes, cuts it into pieces and has them spoken a little ahead of their turn. */
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

  /** The next piece; undefined when all has been said, or nobody listens any more. */
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
      // A mind that hangs is left behind.
      void iterator.return?.()?.catch(() => {});
    }
  }

  async #add(said: Said): Promise<void> {
    while (this.#ready.length >= ahead && !this.#signal.aborted) await this.#bell.wait();
    while (this.#deps.isFull() && !this.#signal.aborted) await this.#bell.wait(fullCheckMs);
    if (this.#signal.aborted) return;
    const voiced = this.#deps.voice(said);
    // Whoever takes the piece hears of it; until then nobody does, and that must not end the process.
    voiced.catch(() => {});
    this.#ready.push({ ...said, voiced });
    this.#bell.ring();
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deps.clock.after(patienceMs, () =>
        reject(new EngineError(0, 'the mind said nothing in time')),
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
