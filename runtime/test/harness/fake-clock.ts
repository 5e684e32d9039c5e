import type { Clock } from '../../src/clock.ts';

/** A clock that advances only when a test calls `pass`. */
export class FakeClock implements Clock {
  #now = 1000;
  #calls: { at: number; call: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const entry = { at: this.#now + ms, call };
    this.#calls.push(entry);
    return () => {
      this.#calls = this.#calls.filter((one) => one !== entry);
    };
  }

  /** Number of scheduled calls. */
  get pending(): number {
    return this.#calls.length;
  }

  /** Advances the clock without running calls, as a blocked event loop does. They run late, on the next `pass`. */
  stall(ms: number): void {
    this.#now += ms;
  }

  /** Advances the clock, runs the calls that are due, and waits for pending promises. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = this.#calls.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#calls = this.#calls.filter((one) => one !== next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
      await settled();
    }
    this.#now = until;
    await settled();
  }
}

/** Waits until pending promises and immediates have run. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
