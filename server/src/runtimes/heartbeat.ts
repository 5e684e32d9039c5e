import type { ChildProcess } from 'node:child_process';

const pingEveryMs = 1000;
/** Ping intervals without an answer after which a process counts as hung. */
const hungAfter = 10;
/** The same while the process loads its code or opens its engines, which blocks its event loop. */
const hungAfterAtStart = 60;
/** Intervals without an answer after which a process is suspicious: a spare is loaded to replace it, or, if it is a spare, it is not used. */
const suspicious = 3;

export interface HeartbeatCalls {
  /** The process is suspicious. Called after each interval until it answers. */
  late(): void;
  /** The process counts as hung. Called once. */
  hung(): void;
}

/**
 * Pings a runtime process and reports when it stops answering. Intervals are counted instead of time, so that a service whose own
 * event loop was blocked, or a machine that was suspended, adds at most one.
 */
export class Heartbeat {
  readonly #process: ChildProcess;
  readonly #calls: HeartbeatCalls;
  readonly #timer: NodeJS.Timeout;
  #immediate: NodeJS.Immediate | undefined;
  #phase: 'loading' | 'spare' | 'opening' | 'ready' = 'loading';
  #silent = 0;
  #isHung = false;

  constructor(process: ChildProcess, calls: HeartbeatCalls, everyMs = pingEveryMs) {
    this.#process = process;
    this.#calls = calls;
    // The immediate runs after pending messages are read: if this event loop was blocked, an answer may be among them.
    this.#timer = setInterval(() => {
      this.#immediate = setImmediate(() => this.#tick());
    }, everyMs);
  }

  /** The process was reported as hung. */
  get isHung(): boolean {
    return this.#isHung;
  }

  get isSuspicious(): boolean {
    return !this.#isStarting && this.#silent >= suspicious;
  }

  /** The process answered a ping. */
  answered(): void {
    // Engines have a deadline, even if the process answers pings while it opens them.
    if (this.#phase === 'opening') return;
    if (this.#phase === 'loading') this.#phase = 'spare';
    this.#silent = 0;
  }

  /** Call when the process starts to open its engines. */
  opening(): void {
    this.#phase = 'opening';
    this.#silent = 0;
  }

  ready(): void {
    this.#phase = 'ready';
    this.#silent = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    clearImmediate(this.#immediate);
  }

  get #isStarting(): boolean {
    return this.#phase === 'loading' || this.#phase === 'opening';
  }

  #tick(): void {
    this.#silent++;
    if (this.#silent >= (this.#isStarting ? hungAfterAtStart : hungAfter)) {
      this.stop();
      this.#isHung = true;
      this.#calls.hung();
      return;
    }
    if (this.isSuspicious) this.#calls.late();
    if (this.#process.connected) this.#process.send({ type: 'ping' }, () => {});
  }
}
