import { write, writeSync } from 'node:fs';

/** Maximum buffered characters while the descriptor is blocked. Further lines are dropped. */
const mostWaiting = 1024 * 1024;
const retryMs = 100;
/** Lines are buffered for this many milliseconds, then written together. A write in each turn of the event loop would cost a twentieth of a mint. */
const collectMs = 25;
/** How long a flush retries a descriptor whose reader is slow. */
const flushMs = 500;

const nothing = Buffer.alloc(0);

/**
 * Writes lines to a descriptor without blocking the event loop. Lines of a few milliseconds are written together. A write that fails,
 * because the disk is full or the pipe's reader has stopped, is retried; lines are buffered up to a maximum, further ones are dropped and
 * counted. pino's asynchronous destination is no alternative: its flush at exit waits for the reader without a limit.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #describeGap: (lines: number) => string;
  #pending = '';
  /** Bytes of the write in progress. */
  #chunk: Buffer = nothing;
  #state: 'idle' | 'collecting' | 'writing' | 'pausing' = 'idle';
  #dropped = 0;
  #untold = 0;
  #afterWrite: (() => void) | undefined;

  /** `describeGap` returns the line that reports dropped lines, written as soon as there is room. */
  constructor(fd: number, describeGap: (lines: number) => string) {
    this.#fd = fd;
    this.#describeGap = describeGap;
  }

  /** Number of dropped lines. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#pending.length + this.#chunk.length + line.length > mostWaiting) {
      this.#dropped++;
      this.#untold++;
      return;
    }
    this.#pending += line;
    if (this.#state === 'idle') this.#collect();
  }

  /** For the exit of the process: writes buffered lines synchronously, as far as the descriptor takes them. */
  flushSync(): void {
    const until = performance.now() + flushMs;
    // A write in progress finishes by itself.
    let rest = Buffer.concat([this.#state === 'writing' ? nothing : this.#chunk, Buffer.from(this.#pending)]);
    this.#pending = '';
    if (this.#state !== 'writing') this.#chunk = nothing;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  }

  /** Flushes after the write in progress. pino calls it by this name. */
  flush(done: () => void = () => undefined): void {
    const flush = () => {
      clearTimeout(late);
      this.#afterWrite = undefined;
      this.flushSync();
      done();
    };
    const late = setTimeout(flush, flushMs);
    if (this.#state === 'writing') this.#afterWrite = flush;
    else flush();
  }

  #collect(): void {
    this.#state = 'collecting';
    setTimeout(() => this.#next(), collectMs);
  }

  #next(): void {
    if (this.#chunk.length === 0) {
      this.#chunk = Buffer.from(this.#pending);
      this.#pending = '';
    }
    if (this.#chunk.length === 0) {
      this.#state = 'idle';
      return;
    }
    this.#state = 'writing';
    write(this.#fd, this.#chunk, (error, written) => (error ? this.#pause() : this.#advance(written)));
  }

  #advance(written: number): void {
    this.#chunk = this.#chunk.subarray(written);
    if (this.#chunk.length > 0) {
      this.#next();
      return;
    }
    if (this.#untold > 0) {
      this.#pending += this.#describeGap(this.#untold);
      this.#untold = 0;
    }
    if (this.#pending === '') this.#state = 'idle';
    else this.#collect();
    this.#afterWrite?.();
  }

  #pause(): void {
    this.#state = 'pausing';
    setTimeout(() => this.#next(), retryMs).unref();
  }
}
