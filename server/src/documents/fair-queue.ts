import { unavailable } from '../primitives/errors.ts';

interface Limits {
  /** Maximum waiting tasks, not counting the running one. */
  maxWaiting: number;
  maxWaitMs: number;
}

/**
 * Limits of the queues for documents and project files. Each waiting task can hold a request of 4 MiB. The tasks of one operator are limited
 * by the handlers that it may run at the same time (`AdminAdmission`).
 */
const documentLimits: Limits = { maxWaiting: 24, maxWaitMs: 30_000 };

/** For whom a task runs. */
export interface Requester {
  operatorId: string;
  /** Aborted when the client disconnects. A waiting task is then dropped. */
  signal?: AbortSignal;
}

interface Waiting {
  start(): Promise<void>;
}

/**
 * Runs tasks one at a time, round-robin by operator; the tasks of one operator run in order. A task is rejected with 503
 * if the queue is full or it waits longer than `maxWaitMs`. A rejected task never runs.
 */
export class FairQueue {
  #refused = 0;
  readonly #limits: Limits;
  /** Waiting tasks by operator. The first operator is the next whose task runs. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #count = 0;
  #isRunning = false;

  constructor(limits: Limits = documentLimits) {
    this.#limits = limits;
  }

  /** Waiting and running tasks. */
  get inFlight(): number {
    return this.#count + (this.#isRunning ? 1 : 0);
  }

  /** Number of tasks rejected because too many were waiting. */
  get refused(): number {
    return this.#refused;
  }

  run<T>({ operatorId, signal }: Requester, task: () => Promise<T>): Promise<T> {
    const { maxWaiting, maxWaitMs } = this.#limits;
    if (signal?.aborted) return Promise.reject(unavailable());
    if (this.#count >= maxWaiting) {
      this.#refused++;
      return Promise.reject(unavailable());
    }
    return new Promise((resolve, reject) => {
      const drop = () => {
        this.#remove(operatorId, waiting);
        settle();
        reject(unavailable());
      };
      const timer = setTimeout(drop, maxWaitMs);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', drop);
      };
      const waiting = {
        start: () => {
          settle();
          return task().then(resolve, reject);
        },
      };
      signal?.addEventListener('abort', drop);
      this.#add(operatorId, waiting);
      if (!this.#isRunning) void this.#drain();
    });
  }

  #add(operatorId: string, waiting: Waiting): void {
    const own = this.#waiting.get(operatorId) ?? new Set();
    this.#waiting.set(operatorId, own.add(waiting));
    this.#count++;
  }

  #remove(operatorId: string, waiting: Waiting): void {
    const own = this.#waiting.get(operatorId);
    if (!own?.delete(waiting)) return;
    this.#count--;
    if (own.size === 0) this.#waiting.delete(operatorId);
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) await next.start();
    this.#isRunning = false;
  }

  /** Removes the next task and moves its operator behind the others. */
  #next(): Waiting | undefined {
    for (const [operatorId, own] of this.#waiting) {
      for (const waiting of own) {
        this.#remove(operatorId, waiting);
        if (this.#waiting.delete(operatorId)) this.#waiting.set(operatorId, own);
        return waiting;
      }
    }
    return undefined;
  }
}
