import type { ChildProcess } from 'node:child_process';

export const pingEveryMs = 1000;
/** Unanswered pings after which a process counts as hung. */
const mostUnanswered = 10;
/** The same while the process loads its code or opens its engines, which blocks its event loop. */
const mostUnansweredAtStart = 60;
/** A process with this many unanswered pings is expected to hang: it gets a spare, and as a spare it does not take over. */
const suspicious = 3;

export interface HeartbeatCalls {
  /** Some pings are unanswered; called again with each further one. */
  late(): void;
  /** The process counts as hung. Called once. */
  hung(): void;
}

/**
 * Pings a runtime process and reports when it stops answering. Unanswered pings are counted instead of time, so that a service whose own
 * event loop was blocked, or a machine that was suspended, adds at most one.
 */
export class Heartbeat {
  readonly #process: ChildProcess;
  readonly #calls: HeartbeatCalls;
  readonly #timer: NodeJS.Timeout;
  #phase: 'loading' | 'spare' | 'opening' | 'ready' = 'loading';
  #unanswered = 0;
  #isHung = false;

  constructor(process: ChildProcess, calls: HeartbeatCalls, everyMs = pingEveryMs) {
    this.#process = process;
    this.#calls = calls;
    this.#timer = setInterval(() => this.#tick(), everyMs);
  }

  /** The process was reported as hung. */
  get isHung(): boolean {
    return this.#isHung;
  }

  get isSuspicious(): boolean {
    return !this.#isStarting && this.#unanswered >= suspicious;
  }

  /** The process answered a ping. */
  answered(): void {
    // Engines have a deadline, even if the process answers pings while it opens them.
    if (this.#phase === 'opening') return;
    if (this.#phase === 'loading') this.#phase = 'spare';
    this.#unanswered = 0;
  }

  /** The process was told to open its engines. */
  opening(): void {
    this.#phase = 'opening';
    this.#unanswered = 0;
  }

  ready(): void {
    this.#phase = 'ready';
    this.#unanswered = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #isStarting(): boolean {
    return this.#phase === 'loading' || this.#phase === 'opening';
  }

  #tick(): void {
    if (this.#unanswered >= (this.#isStarting ? mostUnansweredAtStart : mostUnanswered)) {
      this.stop();
      this.#isHung = true;
      this.#calls.hung();
      return;
    }
    if (this.isSuspicious) this.#calls.late();
    this.#unanswered++;
    if (this.#process.connected) this.#process.send({ type: 'ping' }, () => {});
  }
}
