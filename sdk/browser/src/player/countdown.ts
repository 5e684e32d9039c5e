import type { ExperienceError } from '../types.ts';

/** How long a visitor has to wait for another try, second by second. */
export class Countdown {
  readonly #tick: () => void;
  #of: ExperienceError | undefined;
  #until = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  /** Whole seconds that are left of what the error asks for; while there are any, it ticks. */
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
