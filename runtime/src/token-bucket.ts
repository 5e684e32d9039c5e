import type { Clock } from './clock.ts';

export interface TokenBucketLimits {
  /** Tokens added per second. */
  perSecond: number;
  /** Tokens at the start, and the maximum that is kept over a resume. */
  burst: number;
  /** Maximum unused tokens that accrue while the client is connected. */
  credit: number;
}

/**
 * Rate limit that carries over unused tokens, so that input is accepted if a stall of the network or of an event loop delays it and delivers
 * it at once.
 */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #limits: TokenBucketLimits;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, limits: TokenBucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#tokens = limits.burst;
    this.#at = clock.now();
  }

  /** Takes tokens; returns `false` and takes none if too few are left. */
  take(tokens = 1): boolean {
    this.#accrue(this.#limits.credit);
    if (tokens > this.#tokens) return false;
    this.#tokens -= tokens;
    return true;
  }

  /** Called on resume: tokens from the disconnected time are capped at `burst`. */
  resumed(): void {
    this.#accrue(this.#limits.burst);
  }

  #accrue(max: number): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(max, this.#tokens + ((now - this.#at) * this.#limits.perSecond) / 1000);
    this.#at = now;
  }
}
