import { write, writeSync } from 'node:fs';

/** So many characters wait at most while the descriptor takes nothing. Further lines are dropped. */
const mostWaiting = 1024 * 1024;
const retryMs = 100;
/** So long lines are collected. A write of its own for each turn of the event loop would be a twentieth of a mint, one every 5 ms a fiftieth. */
const collectMs = 25;
/** How long a flush keeps at a descriptor whose reader is slow. */
const flushMs = 500;

const nothing = Buffer.alloc(0);

/**
 * Writes lines to a descriptor and never holds anybody up. Lines of a few milliseconds are written together. While a write cannot succeed, because a disk is full or nobody reads, it is tried again; lines
 * wait up to a bound, and those beyond it are dropped and counted. pino's own asynchronous destination would not do: at the end
 * of the process it waits for its reader without end.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #describeGap: (lines: number) => string;
  #pending = '';
  /** What is being written. */
  #chunk: Buffer = nothing;
  #state: 'idle' | 'collecting' | 'writing' | 'pausing' = 'idle';
  #dropped = 0;
  #untold = 0;
  #afterWrite: (() => void) | undefined;

  /** `describeGap` is the line that tells of dropped ones, as soon as there is room for it. */
  constructor(fd: number, describeGap: (lines: number) => string) {
    this.#fd = fd;
    this.#describeGap = describeGap;
  }

  /** How many lines were lost. */
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

  /** For the end of the process: writes what waits, at once and as far as that is possible. */
  flushSync(): void {
    const until = performance.now() + flushMs;
    // What is in the hands of a write already is written by that.
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

  /** The same, by the name under which loggers know it; but lines that are being written come first. */
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
