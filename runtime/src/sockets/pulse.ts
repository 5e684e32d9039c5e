import { bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

export interface PulseDeps {
  ping(): void;
  unsent(): number;
  /** Bytes that the peer has taken so far, or fewer. */
  drained(): number;
  dead(): void;
}

const checkMs = 2500;
const stallMs = 10_000;
const checksPerPing = (bounds.heartbeatSeconds * 1000) / checkMs;
const missedPings = 2;

/** Notices a peer that is gone without a word, or takes nothing of what it is sent. */
export class Pulse {
  readonly #clock: Clock;
  readonly #deps: PulseDeps;
  #cancel: () => void = () => {};
  #checks = 0;
  #missed = 0;
  #drained = 0;
  #drainedAt: number;

  constructor(clock: Clock, deps: PulseDeps) {
    this.#clock = clock;
    this.#deps = deps;
    this.#drainedAt = clock.now();
    this.#plan();
  }

  /** A sign of life. */
  beat(): void {
    this.#missed = 0;
  }

  stop(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  #plan(): void {
    this.#cancel = this.#clock.after(checkMs, () => {
      this.#plan();
      this.#check();
    });
  }

  #check(): void {
    const drained = this.#deps.drained();
    if (drained > this.#drained || this.#deps.unsent() === 0) {
      this.#drained = drained;
      this.#drainedAt = this.#clock.now();
    } else if (this.#clock.now() - this.#drainedAt >= stallMs) {
      this.#deps.dead();
      return;
    }
    if (++this.#checks % checksPerPing !== 0) return;
    if (this.#missed >= missedPings) this.#deps.dead();
    else {
      this.#missed++;
      this.#deps.ping();
    }
  }
}
