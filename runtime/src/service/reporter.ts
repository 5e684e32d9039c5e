import type { Report } from '@session-launch/contract/runtime/lifecycle';
import type { EndReason } from '@session-launch/contract/session';
import type { Clock } from '../clock.ts';
import { type ServiceClient, ServiceRefused } from './client.ts';
import type { Journal } from './journal.ts';

export interface ReporterDeps {
  clock: Clock;
  runtimeId: string;
  service: Pick<ServiceClient, 'report'>;
  journal: Pick<Journal, 'keep' | 'clear' | 'leftovers'>;
  /** The state of every running session. `waiting`: its client is away. */
  running(): { sessionId: string; seconds: number; waiting?: boolean }[];
  /** Closes a session that is over for the service. */
  end(sessionId: string, reason: EndReason): void;
  /** The service rejected the report of an earlier process. It is kept on disk. */
  refused(error: Error): void;
  /** Called when reports begin or cease to arrive. */
  reachable(isReachable: boolean, error?: Error): void;
}

type Ended = Report['sessions'][number] & { ended: EndReason };

const everyMs = 5000;
/** Ended sessions that are kept until a report arrives. The service takes reports of at most 10,000 sessions. */
const mostEnded = 5000;

/** Reports the state of all sessions to the service every five seconds, and closes those that are over for the service. */
export class Reporter {
  readonly #deps: ReporterDeps;
  /** Ended sessions that no report has delivered yet. */
  readonly #ended = new Map<string, Ended>();
  #cancel: () => void = () => {};
  #isReachable = true;
  #hasLeftovers = true;
  #inFlight: Promise<boolean> = Promise.resolve(true);
  /** The report that waits for the one in flight. */
  #next: Promise<boolean> | undefined;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(everyMs, () => {
      this.start();
      void this.report();
    });
  }

  /** Adds an ended session to every report until one arrives. */
  ended(sessionId: string, reason: EndReason, seconds: number): void {
    this.#ended.set(sessionId, { sessionId, seconds, ended: reason });
    if (this.#ended.size > mostEnded) this.#ended.delete(this.#ended.keys().next().value!);
  }

  /**
   * Sends a report, after the one in flight; false if it did not arrive. At most one waits, and it reads the state when it is
   * sent: while the service does not answer, calls share it.
   */
  report(): Promise<boolean> {
    this.#next ??= this.#inFlight.then(() => {
      this.#next = undefined;
      this.#inFlight = this.#send();
      return this.#inFlight;
    });
    return this.#next;
  }

  /** Sends the last report. */
  async close(): Promise<void> {
    this.#cancel();
    await this.report();
  }

  async #send(): Promise<boolean> {
    const { runtimeId, service, journal, running, end } = this.#deps;
    const over = [...this.#ended.values()];
    const sessions: Report['sessions'] = [...running(), ...over];
    const report = { runtimeId, sessions };
    try {
      if (sessions.length > 0) {
        const answer = await service.report(report);
        for (const one of over) if (this.#ended.get(one.sessionId) === one) this.#ended.delete(one.sessionId);
        for (const { sessionId, reason } of answer.end) end(sessionId, reason);
      }
      await this.#deliverLeftovers();
      await journal.clear();
      this.#say(true);
      return true;
    } catch (error) {
      this.#say(false, error as Error);
      // If the disk fails, too, the next report tries again.
      if (sessions.length > 0) await journal.keep(report).catch(() => {});
      return false;
    }
  }

  async #deliverLeftovers(): Promise<void> {
    if (!this.#hasLeftovers) return;
    for (const leftover of await this.#deps.journal.leftovers()) {
      try {
        await this.#deps.service.report(leftover.report);
        await leftover.delivered();
      } catch (error) {
        // A malformed report would be rejected each time: set it aside, so that the others arrive.
        if (!(error instanceof ServiceRefused && error.status === 400)) throw error;
        await leftover.refused();
        this.#deps.refused(error);
      }
    }
    this.#hasLeftovers = false;
  }

  #say(isReachable: boolean, error?: Error): void {
    if (isReachable !== this.#isReachable) this.#deps.reachable(isReachable, error);
    this.#isReachable = isReachable;
  }
}
