import { outage } from './outage.ts';

/**
 * Runs the statements and transactions of the admin API and of maintenance one at a time, in order of arrival. All other statements go to
 * the engine immediately, so a mint waits for at most one of these.
 */
export class AdminQueue {
  /** Each starts the next task. */
  readonly #queue: (() => void)[] = [];
  #isBusy = false;

  /** Runs `work` after those before it. If `signal` is aborted earlier, rejects as an outage. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#isBusy = false;
      else next();
    }
  }

  #enter(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#isBusy) {
      this.#isBusy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(start), 1);
        reject(outage('the statements before it took too long'));
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#queue.push(start);
    });
  }
}
