import { Worker } from 'node:worker_threads';
import { EngineError } from '../../endpoint.ts';
import { unlessAborted } from '../../timeout.ts';
import { FairQueue } from '../fair-queue.ts';
import { compileFlite } from './program.js';

/** The WAV file and the standard output of a run. */
export interface Output {
  wav: Uint8Array;
  printed: string;
}

interface Job {
  args: string[];
  resolve(output: Output): void;
  reject(error: Error): void;
}

interface Thread {
  worker: Worker;
  /** Whether the thread has completed a run. */
  hasRun?: boolean;
  job?: Job | undefined;
  /** Fires when the job exceeds the deadline. */
  timer?: NodeJS.Timeout | undefined;
}

/** Timeout of a run in milliseconds; its thread is then replaced. A run takes about a second at most. */
const deadlineMs = 60_000;
/** Milliseconds until a thread that ended before it completed a run, for example because it cannot be loaded, is replaced. */
const restartMs = 1000;
const ended = () => new EngineError(0, 'a speech thread has ended');

/** A pool of worker threads that run flite, one text at a time each. Queued texts are taken round-robin over sessions. */
export class FliteThreads {
  readonly #module: unknown;
  readonly #deadlineMs: number;
  readonly #threads: Thread[] = [];
  readonly #queue = new FairQueue<Job>();
  #isClosed = false;

  private constructor(module: unknown, count: number, deadline: number) {
    this.#module = module;
    this.#deadlineMs = deadline;
    for (let i = 0; i < count; i++) this.#threads.push(this.#start());
  }

  static async open(count: number, deadline = deadlineMs): Promise<FliteThreads> {
    return new FliteThreads(await compileFlite(), count, deadline);
  }

  get size(): number {
    return this.#threads.length;
  }

  /** Rejects when the signal is aborted. A queued text is then never synthesised; the output of a running one is discarded. */
  async run(args: string[], session: object, signal: AbortSignal): Promise<Output> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('closed');
    // All threads have ended and wait for their restart.
    if (this.#threads.length === 0) throw ended();
    let job: Job | undefined;
    const output = new Promise<Output>((resolve, reject) => {
      job = { args, resolve, reject };
      this.#queue.push(session, job);
    });
    this.#next();
    try {
      return await unlessAborted(output, signal);
    } finally {
      this.#queue.remove(session, job!);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.clear()) job.reject(new Error('closed'));
    for (const thread of this.#threads) clearTimeout(thread.timer);
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    for (const thread of this.#threads) {
      if (thread.job !== undefined) continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.timer = setTimeout(() => this.#giveUp(thread), this.#deadlineMs).unref();
      thread.worker.postMessage({ args: job.args });
    }
  }

  /** Terminates and replaces a thread whose run exceeds the deadline: a WebAssembly call cannot be interrupted otherwise. */
  #giveUp(thread: Thread): void {
    this.#replace(thread);
    thread.job?.reject(new EngineError(0, 'the speech engine took too long'));
    void thread.worker.terminate();
  }

  #replace(thread: Thread, delayMs = 0): void {
    clearTimeout(thread.timer);
    const at = this.#threads.indexOf(thread);
    if (this.#isClosed || at < 0) return;
    this.#threads.splice(at, 1);
    const start = () => {
      if (this.#isClosed) return;
      this.#threads.push(this.#start());
      this.#next();
    };
    if (delayMs === 0) start();
    else setTimeout(start, delayMs).unref();
    if (this.#threads.length === 0) for (const job of this.#queue.clear()) job.reject(ended());
  }

  #start(): Thread {
    const worker = new Worker(new URL('./flite-thread.js', import.meta.url), {
      workerData: { module: this.#module },
    });
    // An idle thread does not keep the process alive.
    worker.unref();
    const thread: Thread = { worker };
    worker.on('message', ({ failure, ...output }: Output & { failure?: string }) => {
      const { job } = thread;
      thread.hasRun = true;
      thread.job = undefined;
      clearTimeout(thread.timer);
      if (failure === undefined) job?.resolve(output);
      else job?.reject(new Error(failure));
      this.#next();
    });
    worker.on('error', (error) => thread.job?.reject(error));
    worker.on('exit', () => {
      thread.job?.reject(ended());
      this.#replace(thread, thread.hasRun ? 0 : restartMs);
    });
    return thread;
  }
}
