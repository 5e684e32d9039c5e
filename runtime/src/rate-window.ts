import type { Clock } from './clock.ts';

/** Fixed-window rate limit: at most `max` calls within `ms` of the first one. */
export class RateWindow {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #ms: number;
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock, max: number, ms: number) {
    this.#clock = clock;
    this.#max = max;
    this.#ms = ms;
  }

  /** Counts one call; returns `false` if it exceeds the limit. */
  allows(): boolean {
    const now = this.#clock.now();
    if (now - this.#startedAt >= this.#ms) {
      this.#startedAt = now;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#max;
  }
}
