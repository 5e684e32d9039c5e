import type { Clock } from '../clock.ts';

/** Something that several can wait for: each ring wakes everybody. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Until it rings; true when it did not ring in time. */
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
