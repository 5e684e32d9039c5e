import { audioFrame, bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

const samplesPerMs = audioFrame.inputSampleRate / 1000;
/** Milliseconds of audio accepted per elapsed millisecond: a microphone's clock may run up to 1 % faster than ours. */
const accrual = 1.01;

/**
 * Limits a client's audio to real time plus `soundAheadMs`. Unused time accrues up to `soundCreditMs`, so that frames delayed by a stalled
 * network are accepted.
 */
export class AudioBudget {
  readonly #clock: Clock;
  #creditMs: number = bounds.soundAheadMs;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Charges samples to the budget; returns `false` if too little is left. */
  take(samples: number): boolean {
    this.#accrue(bounds.soundCreditMs);
    const ms = samples / samplesPerMs;
    if (ms > this.#creditMs) return false;
    this.#creditMs -= ms;
    return true;
  }

  /** Called on resume: credit from the disconnected time is capped at `soundAheadMs`. */
  resumed(): void {
    this.#accrue(bounds.soundAheadMs);
  }

  #accrue(maxMs: number): void {
    const now = this.#clock.now();
    this.#creditMs = Math.min(maxMs, this.#creditMs + (now - this.#at) * accrual);
    this.#at = now;
  }
}
