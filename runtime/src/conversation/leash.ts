import type { Clock } from '../clock.ts';

export interface LeashCalls {
  endingSoon(secondsLeft: number): void;
  idle(): void;
  maximum(): void;
}

const noticeSeconds = 30;

/** How long a session may last, and how long it may be silent. Either is announced before it ends the session. */
export class Leash {
  readonly #clock: Clock;
  readonly #idleSeconds: number;
  readonly #calls: LeashCalls;
  readonly #ofMaximum: (() => void)[];
  #ofIdle: (() => void)[] = [];

  constructor(clock: Clock, limits: { maxSeconds: number; idleSeconds: number }, calls: LeashCalls) {
    this.#clock = clock;
    this.#idleSeconds = limits.idleSeconds;
    this.#calls = calls;
    this.#ofMaximum = this.#countDown(limits.maxSeconds, calls.maximum);
  }

  /** Nobody says anything from now on. */
  quiet(): void {
    this.busy();
    this.#ofIdle = this.#countDown(this.#idleSeconds, this.#calls.idle);
  }

  /** Somebody speaks, or thinks about what to say. */
  busy(): void {
    for (const cancel of this.#ofIdle.splice(0)) cancel();
  }

  close(): void {
    this.busy();
    for (const cancel of this.#ofMaximum.splice(0)) cancel();
  }

  /** A short leash is announced at its half. */
  #countDown(seconds: number, end: () => void): (() => void)[] {
    const left = Math.min(noticeSeconds, Math.ceil(seconds / 2));
    return [
      this.#clock.after((seconds - left) * 1000, () => this.#calls.endingSoon(left)),
      this.#clock.after(seconds * 1000, end),
    ];
  }
}
