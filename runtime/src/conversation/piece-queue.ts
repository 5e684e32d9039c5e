import type { Clock } from '../clock.ts';
import { EngineError } from '../endpoint.ts';
import type { Said } from '../mind/mind.ts';
import { Sentences } from '../sentences.ts';
import { unlessAborted, withTimeout } from '../timeout.ts';
import type { PreparedSpeech } from './speech-output.ts';

/** A part of a message that is synthesised as one utterance. */
export interface Piece extends Said {
  /** Absent until the synthesis is complete. */
  prepared?: PreparedSpeech;
}

export interface PieceQueueDeps {
  clock: Clock;
  /** Synthesises a piece. */
  prepare(said: Said): Promise<PreparedSpeech>;
  /** Whether synthesis should pause: the client is disconnected, or its unread bytes exceed the limit. */
  isFull(): boolean;
  /** A piece was added or synthesised, or the message has ended. */
  changed(): void;
  /** Returns a sentence that replaces the rest of the message when the mind fails. */
  mindFailed(error: Error): Said | undefined;
  /** An unexpected error. */
  failed(error: Error): void;
}

/** Maximum pieces that are synthesised ahead of playback. */
const ahead = 2;
/** Timeout for each part of a mind's output, in milliseconds. */
const mindMs = 20_000;

/** Reads a mind's output as a stream, splits it into pieces and synthesises up to `ahead` of them in advance. */
export class PieceQueue {
  readonly #deps: PieceQueueDeps;
  readonly #signal: AbortSignal;
  readonly #mind: AsyncIterator<Said>;
  /** Ends the requests of the mind when the message is stopped, or when the mind fails. */
  readonly #stopMind = new AbortController();
  #mindState: 'idle' | 'reading' | 'ended' = 'idle';
  #isFirst = true;
  /** Whether the mind's last output was live speech, which has a timeout of its own. */
  #isLive = false;
  /** Pieces that are not synthesised yet. */
  readonly #unprepared: Said[] = [];
  readonly #ready: Piece[] = [];

  constructor(deps: PieceQueueDeps, say: (signal: AbortSignal) => AsyncIterable<Said>, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#mind = say(this.#stopMind.signal)[Symbol.asyncIterator]();
    signal.addEventListener('abort', () => this.#closeMind(signal.reason), { once: true });
    this.fill();
  }

  /** Whether the message has ended and all its pieces were taken. */
  get isOver(): boolean {
    return this.#mindState === 'ended' && this.#unprepared.length === 0 && this.#ready.length === 0;
  }

  /** Takes the next piece. Its synthesis may be in progress. */
  shift(): Piece | undefined {
    const piece = this.#ready.shift();
    this.fill();
    return piece;
  }

  /** Starts the next syntheses, then reads more of the mind's output. Call it when `isFull` may have changed. */
  fill(): void {
    if (this.#signal.aborted) return;
    while (this.#unprepared.length > 0 && this.#ready.length < ahead && !this.#deps.isFull())
      this.#prepare(this.#unprepared.shift()!);
    if (this.#unprepared.length === 0 && this.#mindState === 'idle')
      this.#read().catch((error) => this.#deps.failed(error));
  }

  #prepare(said: Said): void {
    const piece: Piece = { ...said };
    this.#ready.push(piece);
    if (said.live !== undefined) {
      piece.prepared = { speech: 'live', live: said.live };
      return;
    }
    this.#deps
      .prepare(said)
      .then((prepared) => {
        piece.prepared = prepared;
        this.#changed();
      })
      .catch((error) => this.#deps.failed(error));
  }

  async #read(): Promise<void> {
    this.#mindState = 'reading';
    const { clock, mindFailed } = this.#deps;
    const timeout = {
      ...{ clock, signal: this.#signal, ms: mindMs },
      error: () => new EngineError(0, 'the mind did not answer in time'),
    };
    try {
      const { done, value } = this.#isLive
        ? await unlessAborted(this.#mind.next(), this.#signal)
        : await withTimeout(timeout, () => this.#mind.next());
      this.#mindState = done ? 'ended' : 'idle';
      if (!done) this.#add(value);
    } catch (error) {
      if (this.#signal.aborted) return;
      this.#mindState = 'ended';
      this.#closeMind(error as Error);
      const instead = mindFailed(error as Error);
      if (instead !== undefined) this.#unprepared.push(instead);
    }
    this.fill();
    this.#changed();
  }

  #add(said: Said): void {
    if (said.text === '' && said.live === undefined) return;
    this.#isLive = said.live !== undefined;
    this.#unprepared.push(...(this.#isLive ? [said] : split(said, this.#isFirst)));
    this.#isFirst = false;
  }

  #changed(): void {
    if (!this.#signal.aborted) this.#deps.changed();
  }

  /** Does not wait for `return`: a hanging mind would never resolve it. */
  #closeMind(reason: Error): void {
    this.#stopMind.abort(reason);
    void this.#mind.return?.()?.catch(() => {});
  }
}

function split({ text, locale, ...said }: Said, isFirst: boolean): Said[] {
  const sentences = new Sentences(locale, isFirst);
  return [...sentences.push(text), ...sentences.end()].map((text) => ({ ...said, locale, text }));
}
