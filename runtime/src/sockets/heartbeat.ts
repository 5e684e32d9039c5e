import { bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

export interface HeartbeatDeps {
  ping(): void;
  unsent(): number;
  /** Lower bound of the bytes handed to the operating system. */
  drained(): number;
  dead(): void;
}

const checkMs = 2500;
/** Milliseconds without reading after which a peer with unsent bytes counts as dead. */
const stallMs = 10_000;
const checksPerPing = (bounds.heartbeatSeconds * 1000) / checkMs;
const missedPings = 2;

/** Detects a peer that no longer answers pings or no longer reads. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #deps: HeartbeatDeps;
  #cancel: () => void = () => {};
  #checks = 0;
  #missed = 0;
  #drained = 0;
  #drainedAt: number;

  constructor(clock: Clock, deps: HeartbeatDeps) {
    this.#clock = clock;
    this.#deps = deps;
    this.#drainedAt = clock.now();
    this.#plan();
  }

  /** Called for each frame of the peer. */
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
