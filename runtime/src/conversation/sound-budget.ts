import { audioFrame, bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

const samplesPerMs = audioFrame.inputSampleRate / 1000;
/** Milliseconds of sound per millisecond: a microphone's clock may run up to 1 % faster than ours. */
const accrual = 1.01;

/**
 * Limits a client's sound to real time plus `soundAheadMs`. Unused time is kept up to `soundCreditMs`, so that frames which a
 * stalled network delivers late are accepted.
 */
export class SoundBudget {
  readonly #clock: Clock;
  #creditMs: number = bounds.soundAheadMs;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Takes samples from the budget; false if there are not enough left. */
  take(samples: number): boolean {
    this.#accrue(bounds.soundCreditMs);
    const ms = samples / samplesPerMs;
    if (ms > this.#creditMs) return false;
    this.#creditMs -= ms;
    return true;
  }

  /** The client was away: what accrued meanwhile is kept only up to `soundAheadMs`. */
  resumed(): void {
    this.#accrue(bounds.soundAheadMs);
  }

  #accrue(mostMs: number): void {
    const now = this.#clock.now();
    this.#creditMs = Math.min(mostMs, this.#creditMs + (now - this.#at) * accrual);
    this.#at = now;
  }
}
