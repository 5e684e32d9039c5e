import type { ExperienceError } from '../types.ts';

/** Counts down the seconds until the visitor may start again. */
export class Countdown {
  readonly #tick: () => void;
  #of: ExperienceError | undefined;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  /** Seconds left of the error's `retryAfterMs`, rounded up. Schedules the next tick while there are any. */
  left(error: ExperienceError | undefined): number {
    clearTimeout(this.#timer);
    if (error?.retryAfterMs === undefined) return 0;
    if (error !== this.#of) this.#until = performance.now() + error.retryAfterMs;
    this.#of = error;
    const seconds = Math.ceil((this.#until - performance.now()) / 1000);
    if (seconds > 0) this.#timer = setTimeout(this.#tick, 1000);
    return Math.max(0, seconds);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
