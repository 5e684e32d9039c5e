import type { Clock } from '../clock.ts';

/** Counts the seconds during which the client was connected; disconnected intervals are excluded. */
export class ConnectedTime {
  readonly #clock: Clock;
  #before = 0;
  #since: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get seconds(): number {
    return (this.#before + (this.#since === undefined ? 0 : this.#clock.now() - this.#since)) / 1000;
  }

  start(): void {
    this.#since ??= this.#clock.now();
  }

  stop(): void {
    this.#before = this.seconds * 1000;
    this.#since = undefined;
  }
}
