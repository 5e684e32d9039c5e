import { bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

export interface SessionTimerCalls {
  endingSoon(secondsLeft: number): void;
  idle(): void;
  maximum(): void;
}

const noticeSeconds = 30;

/** The idle limit and the maximum duration of a session. A notice is sent before either ends the session. */
export class SessionTimers {
  readonly #clock: Clock;
  readonly #limits: { maxSeconds: number; idleSeconds: number };
  readonly #calls: SessionTimerCalls;
  #maximumTimers: (() => void)[] = [];
  #idleTimers: (() => void)[] = [];
  #hasUserSpoken = false;

  constructor(clock: Clock, limits: { maxSeconds: number; idleSeconds: number }, calls: SessionTimerCalls) {
    this.#clock = clock;
    this.#limits = limits;
    this.#calls = calls;
  }

  /** Starts the maximum-duration timer. */
  start(): void {
    this.#maximumTimers = this.#countDown(this.#limits.maxSeconds, this.#calls.maximum);
  }

  /** The user typed or spoke: from now on the full idle limit applies instead of `firstWordsSeconds`. */
  userSpoke(): void {
    this.#hasUserSpoken = true;
  }

  /** Restarts the idle timer: neither the user nor the character speaks. */
  startIdleTimer(): void {
    this.stopIdleTimer();
    const { idleSeconds } = this.#limits;
    const seconds = this.#hasUserSpoken ? idleSeconds : Math.min(idleSeconds, bounds.firstWordsSeconds);
    this.#idleTimers = this.#countDown(seconds, this.#calls.idle);
  }

  /** Stops the idle timer: the character thinks or speaks. */
  stopIdleTimer(): void {
    for (const cancel of this.#idleTimers.splice(0)) cancel();
  }

  close(): void {
    this.stopIdleTimer();
    for (const cancel of this.#maximumTimers.splice(0)) cancel();
  }

  /** Starts the timers for the notice and the end. Limits under one minute are announced at half time. */
  #countDown(seconds: number, end: () => void): (() => void)[] {
    const left = Math.min(noticeSeconds, Math.ceil(seconds / 2));
    return [
      this.#clock.after((seconds - left) * 1000, () => this.#calls.endingSoon(left)),
      this.#clock.after(seconds * 1000, end),
    ];
  }
}
