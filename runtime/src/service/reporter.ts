import type { Report } from '@session-launch/contract/runtime/lifecycle';
import type { EndReason } from '@session-launch/contract/session';
import { reportIntervalSeconds } from '@session-launch/contract/wire';
import type { Clock } from '../clock.ts';
import { type ServiceClient, ServiceRefused } from './client.ts';
import type { Journal } from './journal.ts';

export interface ReporterDeps {
  clock: Clock;
  runtimeId: string;
  service: Pick<ServiceClient, 'report'>;
  journal: Pick<Journal, 'keep' | 'clear' | 'leftovers'>;
  /** The state of every running session. */
  running(): Report['sessions'];
  /** Ends a session that the service has ended. */
  end(sessionId: string, reason: EndReason): void;
  /** The service rejected the report of an earlier process. The report stays on disk. */
  refused(error: Error): void;
  /** Called when the service becomes reachable or unreachable. */
  reachable(isReachable: boolean, error?: Error): void;
}

type Ended = Report['sessions'][number] & { ended: EndReason };

const everyMs = reportIntervalSeconds * 1000;
/** Maximum ended sessions that are buffered until a report is delivered. The service accepts at most 10,000 sessions per report. */
const maxEnded = 5000;

/** Reports the state of all sessions every five seconds, and ends those that the service has ended. */
export class Reporter {
  readonly #deps: ReporterDeps;
  /** Ended sessions that are not yet reported. */
  readonly #ended = new Map<string, Ended>();
  #cancel: () => void = () => {};
  #isReachable = true;
  #hasLeftovers = true;
  #inFlight: Promise<boolean> = Promise.resolve(true);
  /** The report that is queued behind the one in flight. */
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

  /** Adds an ended session to every report until one is delivered. */
  ended(sessionId: string, reason: EndReason, seconds: number): void {
    this.#ended.set(sessionId, { sessionId, seconds, ended: reason });
    if (this.#ended.size > maxEnded) this.#ended.delete(this.#ended.keys().next().value!);
  }

  /**
   * Sends a report after the one in flight; resolves with `false` if it was not delivered. At most one report is queued, shared by all
   * callers, and it reads the state when it is sent.
   */
  report(): Promise<boolean> {
    this.#next ??= this.#inFlight.then(() => {
      this.#next = undefined;
      this.#inFlight = this.#send();
      return this.#inFlight;
    });
    return this.#next;
  }

  /** Stops the timer and sends the last report. */
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
      this.#setReachable(true);
      return true;
    } catch (error) {
      this.#setReachable(false, error as Error);
      // If writing to disk fails as well, the next report tries again.
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
        // A malformed report would be rejected each time: rename it, so that the others are delivered.
        if (!(error instanceof ServiceRefused && error.status === 400)) throw error;
        await leftover.refused();
        this.#deps.refused(error);
      }
    }
    this.#hasLeftovers = false;
  }

  #setReachable(isReachable: boolean, error?: Error): void {
    if (isReachable !== this.#isReachable) this.#deps.reachable(isReachable, error);
    this.#isReachable = isReachable;
  }
}
