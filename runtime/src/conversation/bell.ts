import type { Clock } from '../clock.ts';

/** A condition variable: `ring` resolves all pending `wait` calls. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves with `false` at the next `ring`, or with `true` after `ms` milliseconds. */
  wait(ms?: number): Promise<boolean> {
    return new Promise((resolve) => {
      let cancel = () => {};
      const wake = (isLate: boolean) => {
        this.#waiting.delete(ring);
        cancel();
        resolve(isLate);
      };
      const ring = () => wake(false);
      this.#waiting.add(ring);
      if (ms !== undefined) cancel = this.#clock.after(ms, () => wake(true));
    });
  }
}
