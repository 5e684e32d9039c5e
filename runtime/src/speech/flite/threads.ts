import { Worker } from 'node:worker_threads';
import { compileFlite } from './program.js';

/** What the program wrote and printed. */
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
  job?: Job | undefined;
}

/** Threads that run flite, each one text at a time. Texts wait in one queue. */
export class FliteThreads {
  readonly #module: unknown;
  readonly #threads: Thread[] = [];
  readonly #queue: Job[] = [];
  #isClosed = false;

  private constructor(module: unknown, count: number) {
    this.#module = module;
    for (let i = 0; i < count; i++) this.#threads.push(this.#start());
  }

  static async open(count: number): Promise<FliteThreads> {
    return new FliteThreads(await compileFlite(), count);
  }

  get size(): number {
    return this.#threads.length;
  }

  /** Texts that wait or are being spoken. */
  get load(): number {
    return this.#queue.length + this.#threads.filter(({ job }) => job !== undefined).length;
  }

  run(args: string[], signal: AbortSignal): Promise<Output> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.#isClosed) return reject(signal.reason ?? new Error('closed'));
      const job: Job = {
        args,
        resolve: (output) => {
          signal.removeEventListener('abort', leave);
          resolve(output);
        },
        reject: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      // A text that nobody waits for any more leaves the queue; one that is being spoken is done in a moment anyway.
      const leave = () => {
        const at = this.#queue.indexOf(job);
        if (at >= 0) this.#queue.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) job.reject(new Error('closed'));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    for (const thread of this.#threads) {
      if (thread.job !== undefined) continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      thread.job = job;
      thread.worker.postMessage({ args: job.args });
    }
  }

  #start(): Thread {
    const worker = new Worker(new URL('./flite-thread.js', import.meta.url), {
      workerData: { module: this.#module },
    });
    // A process may end while its threads have nothing to do.
    worker.unref();
    const thread: Thread = { worker };
    worker.on('message', ({ failure, ...output }: Output & { failure?: string }) => {
      const { job } = thread;
      thread.job = undefined;
      if (failure === undefined) job?.resolve(output);
      else job?.reject(new Error(failure));
      this.#next();
    });
    worker.on('error', (error) => thread.job?.reject(error));
    worker.on('exit', () => {
      thread.job?.reject(new Error('a speech thread has ended'));
      const at = this.#threads.indexOf(thread);
      if (this.#isClosed || at < 0) return;
      this.#threads[at] = this.#start();
      this.#next();
    });
    return thread;
  }
}
