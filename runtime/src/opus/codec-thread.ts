import { Worker } from 'node:worker_threads';

/** A request to the thread. The first one of a stream opens it. */
export interface Request {
  id: number;
  encode?: { sampleRate: number; bitrate: number; packetMs: number };
  decode?: { sampleRate: number };
  samples?: Int16Array;
  /** No more samples follow. */
  isEnd?: boolean;
  packets?: Uint8Array[];
  /** Frees the stream. Not answered. */
  isClosed?: boolean;
}

/** The answer to a request of a stream. `failure` is set if the request failed. */
export interface Answer {
  packets?: Uint8Array[];
  samples?: Int16Array;
  failure?: string;
}

/** Timeout of a request in milliseconds. One second of audio takes about 20. */
const deadlineMs = 10_000;
/** Milliseconds until a thread that has ended is replaced. */
const restartMs = 1000;

/** The worker thread that encodes and decodes. A thread that ends or hangs fails the streams in it and is replaced. */
export class CodecThread {
  /** Called with the answer to each request, in the order of the requests. */
  readonly #streams = new Map<number, (answer: Answer) => void>();
  readonly #deadlineMs: number;
  #worker!: Worker;
  #isReady = false;
  #isClosed = false;
  #nextId = 0;
  /** Requests in flight. The timer runs while there are any and restarts with each answer. */
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(deadline: number) {
    this.#deadlineMs = deadline;
  }

  /** Resolves when the thread is ready. Rejects if it cannot be loaded. */
  static open(deadline = deadlineMs): Promise<CodecThread> {
    const thread = new CodecThread(deadline);
    return new Promise((resolve, reject) => {
      thread.#start(() => resolve(thread), reject);
    });
  }

  /** Whether streams can be opened. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Registers a stream and returns its id. */
  add(answered: (answer: Answer) => void): number {
    const id = this.#nextId++;
    this.#streams.set(id, answered);
    return id;
  }

  send(request: Request): void {
    if (!this.#isReady || !this.#streams.has(request.id)) return;
    this.#worker.postMessage(request);
    this.#inFlight++;
    this.#timer ??= this.#startTimer();
  }

  /** Frees a stream. Its requests in flight are not answered. */
  remove(id: number): void {
    if (this.#streams.delete(id) && this.#isReady) this.#worker.postMessage({ id, isClosed: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#fail();
    await this.#worker.terminate();
  }

  #start(ready: () => void = () => {}, failed: (error: Error) => void = () => {}): void {
    const worker = new Worker(new URL('./opus-thread.js', import.meta.url));
    this.#worker = worker;
    // An idle thread does not keep the process alive.
    worker.unref();
    worker.on('message', ({ isReady, id, ...answer }: Answer & { id: number; isReady?: true }) => {
      if (isReady) {
        this.#isReady = true;
        return ready();
      }
      clearTimeout(this.#timer);
      this.#timer = --this.#inFlight > 0 ? this.#startTimer() : undefined;
      this.#streams.get(id)?.(answer);
    });
    worker.on('error', failed);
    worker.on('exit', () => {
      failed(new Error('the codec thread has ended'));
      this.#fail();
      if (!this.#isClosed) setTimeout(() => this.#isClosed || this.#start(), restartMs).unref();
    });
  }

  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => void this.#worker.terminate(), this.#deadlineMs).unref();
  }

  /** Fails all streams. */
  #fail(): void {
    this.#isReady = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#inFlight = 0;
    const all = [...this.#streams.values()];
    this.#streams.clear();
    for (const answered of all) answered({ failure: 'the codec thread has ended' });
  }
}
