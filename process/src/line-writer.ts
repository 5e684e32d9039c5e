import { write, writeSync } from 'node:fs';

/** Maximum buffered characters while the descriptor is blocked. Further lines are dropped. */
const maxWaiting = 1024 * 1024;
const retryMs = 100;
/** Lines are buffered for this many milliseconds, then written together. One write per event loop iteration would cost 5 % of a mint. */
const collectMs = 25;
/** Milliseconds for which a flush retries a descriptor whose reader is slow. */
const flushMs = 500;

const nothing = Buffer.alloc(0);

/**
 * Writes lines to a descriptor without blocking the event loop. Lines are batched for `collectMs`. A failed write, because the disk is full
 * or the pipe's reader has stopped, is retried; lines are buffered up to `maxWaiting` characters, further ones are dropped and counted.
 * pino's asynchronous destination is no alternative: its flush at exit waits for the reader without a timeout.
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

  /** `describeGap` returns the line that reports dropped lines, written as soon as the buffer has room. */
  constructor(fd: number, describeGap: (lines: number) => string) {
    this.#fd = fd;
    this.#describeGap = describeGap;
  }

  /** Number of dropped lines. */
  get dropped(): number {
    return this.#dropped;
  }

  write(line: string): void {
    if (this.#pending.length + this.#chunk.length + line.length > maxWaiting) {
      this.#dropped++;
      this.#untold++;
      return;
    }
    this.#pending += line;
    if (this.#state === 'idle') this.#collect();
  }

  /** Writes the buffered lines synchronously at process exit, retrying for at most `flushMs`. */
  flushSync(): void {
    const until = performance.now() + flushMs;
    // The chunk of a write in progress is excluded: the thread pool completes it.
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

  /** Flushes after the write in progress. The name is pino's. */
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
