/** Limits how many pieces of work run at once, and how many wait. */
export class WorkQueue {
  readonly #max: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number, maxWaiting: number) {
    this.#max = max;
    this.#maxWaiting = maxWaiting;
  }

  /** Returns `undefined`, without calling `work`, if too much work is waiting. */
  run<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.#running < this.#max) return this.#start(work);
    if (this.#waiting.length >= this.#maxWaiting) return undefined;
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => void this.#start(work).then(resolve, reject));
    });
  }

  async #start<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
