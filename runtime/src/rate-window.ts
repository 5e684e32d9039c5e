import type { Clock } from './clock.ts';

/** Fixed-window rate limit: at most `most` calls within `ms` of the first one. */
export class RateWindow {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #ms: number;
  #startedAt = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock, most: number, ms: number) {
    this.#clock = clock;
    this.#most = most;
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
    return this.#count <= this.#most;
  }
}
