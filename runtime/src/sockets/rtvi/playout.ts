import type { Clock } from '../../clock.ts';

export interface PlayoutDeps {
  clock: Clock;
  /** Sends audio to the client. */
  send(samples: Int16Array): void;
  /** Bytes buffered because the client has not read them yet. */
  unsent(): number;
  /** Audio up to `ms` of an utterance has been played, as far as can be estimated from the time at which it was sent. */
  played(utterance: number, ms: number, isDone: boolean): void;
}

export interface Chunk {
  utterance: number;
  samples: Int16Array;
  /** Position of the chunk's end in the utterance. */
  endMs: number;
  durationMs: number;
  isLast: boolean;
}

interface Call {
  call(): void;
  afterPlayback: boolean;
}

/** Maximum milliseconds of audio sent ahead of playback: RTVI has no message that discards queued audio. */
export const maxAheadMs = 200;
/** Unread bytes above which audio waits, so that it is not played late and all at once. */
const maxUnsent = 16 * 1024;
/** Milliseconds between checks whether the client has read them. */
const unreadCheckMs = 40;

/**
 * Sends audio at the speed of playback to clients that play it as it arrives and report nothing. Calls in between keep their place: one of
 * `begin`, which announces an utterance, is made once the audio before it has been played, one of `note` once it has been sent.
 */
export class Playout {
  readonly #deps: PlayoutDeps;
  #queue: (Chunk | Call)[] = [];
  /** Chunks that are sent but not played yet, with the time at which they will be. */
  #playing: { chunk: Chunk; until: number }[] = [];
  /** Time at which everything sent will be played. */
  #playsUntil = 0;
  #isRunning = false;
  #cancel: () => void = () => {};

  constructor(deps: PlayoutDeps) {
    this.#deps = deps;
  }

  add(chunk: Chunk): void {
    this.#push(chunk);
  }

  begin(call: () => void): void {
    this.#push({ call, afterPlayback: true });
  }

  note(call: () => void): void {
    this.#push({ call, afterPlayback: false });
  }

  /** Discards the audio and the calls that wait. */
  clear(): void {
    this.#cancel();
    this.#queue = [];
    this.#playing = [];
  }

  #push(item: Chunk | Call): void {
    this.#queue.push(item);
    this.#run();
  }

  #run(): void {
    // `played` may add items.
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#cancel();
    this.#report();
    const waitMs = this.#send();
    this.#isRunning = false;
    if (waitMs !== undefined) this.#cancel = this.#deps.clock.after(waitMs, () => this.#run());
  }

  #report(): void {
    const now = this.#deps.clock.now();
    const ended = this.#playing.findLastIndex(({ until }) => until <= now);
    for (const { chunk } of this.#playing.splice(0, ended + 1))
      this.#deps.played(chunk.utterance, chunk.endMs, chunk.isLast);
  }

  /** Sends up to `maxAheadMs`. Returns the milliseconds until the next run, or `undefined` if nothing is left. */
  #send(): number | undefined {
    const now = this.#deps.clock.now();
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      if ('call' in item) {
        if (item.afterPlayback && this.#playing.length > 0) break;
        this.#queue.shift();
        item.call();
        continue;
      }
      if (this.#deps.unsent() > maxUnsent) return unreadCheckMs;
      const until = Math.max(now, this.#playsUntil) + item.durationMs;
      const earlyMs = until - now - maxAheadMs;
      // After `clear`, what was sent before is still playing, but is no longer in `#playing`.
      if (earlyMs > 0) return Math.min(earlyMs, this.#playsNextIn(now));
      this.#queue.shift();
      this.#playsUntil = until;
      this.#playing.push({ chunk: item, until });
      if (item.samples.length > 0) this.#deps.send(item.samples);
    }
    return this.#playing.length === 0 ? undefined : this.#playsNextIn(now);
  }

  /** Milliseconds until the next chunk has been played. */
  #playsNextIn(now: number): number {
    return (this.#playing[0]?.until ?? Number.POSITIVE_INFINITY) - now;
  }
}
