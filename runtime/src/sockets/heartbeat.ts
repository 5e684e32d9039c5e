import { bounds } from '@session-launch/contract/runtime/protocol';
import type { Clock } from '../clock.ts';

export type DeadCause = 'missed_pings' | 'not_reading';

export interface HeartbeatDeps {
  ping(): void;
  unsent(): number;
  /** Lower bound of the bytes handed to the operating system. */
  drained(): number;
  dead(cause: DeadCause): void;
}

const checkMs = 2500;
/** Consecutive checks (10 s) without progress after which a peer with unsent bytes counts as dead. An event loop stall adds at most one. */
const stalledChecks = 10_000 / checkMs;
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
  #stalled = 0;

  constructor(clock: Clock, deps: HeartbeatDeps) {
    this.#clock = clock;
    this.#deps = deps;
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
      this.#stalled = 0;
    } else if (++this.#stalled >= stalledChecks) {
      this.#deps.dead('not_reading');
      return;
    }
    if (++this.#checks % checksPerPing !== 0) return;
    if (this.#missed >= missedPings) this.#deps.dead('missed_pings');
    else {
      this.#missed++;
      this.#deps.ping();
    }
  }
}
