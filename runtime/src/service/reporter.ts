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
  running(): { sessionId: string; seconds: number }[];
  /** The service wants a session closed. */
  end(sessionId: string, reason: EndReason): void;
  /** The service does not understand what an earlier process left. It is kept on disk. */
  refused(error: Error): void;
  /** Whether the service hears of us; told when that changes. */
  reachable(isReachable: boolean, error?: Error): void;
}

type Ended = Report['sessions'][number] & { ended: EndReason };

const everyMs = 5000;

/** Tells the service every five seconds how all sessions do, and learns which ones are over. */
export class Reporter {
  readonly #deps: ReporterDeps;
  /** Not delivered yet. */
  readonly #ended = new Map<string, Ended>();
  #cancel: () => void = () => {};
  #isReachable = true;
  #hasLeftovers = true;
  #underWay: Promise<boolean> = Promise.resolve(true);

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(everyMs, () => {
      this.start();
      void this.report();
    });
  }

  /** A session is over: it stays in every report until one arrives. */
  ended(sessionId: string, reason: EndReason, seconds: number): void {
    this.#ended.set(sessionId, { sessionId, seconds, ended: reason });
  }

  /** One report now, after the one that is under way. False when it did not arrive. */
  report(): Promise<boolean> {
    this.#underWay = this.#underWay.then(() => this.#send());
    return this.#underWay;
  }

  /** The last word. */
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
      // A disk that fails as well leaves nothing to do but to try again.
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
        // What cannot be understood today cannot be tomorrow; it must not keep the others from arriving.
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
