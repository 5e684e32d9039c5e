import type { Logger } from 'pino';

/** The log line of each outcome that is logged with one line in ten seconds. */
const messages = {
  handed_over: undefined,
  refused_full: 'too many upgrades wait for the runtime; further ones are refused',
  refused_limit: 'a client network exceeds its limit of upgrades; they are refused',
  refused_stopping: 'upgrades are refused while the service stops',
  timed_out: 'the runtime did not accept upgrades in time; they are refused',
  client_left: 'clients disconnected before the runtime accepted their upgrade',
} as const;

export type UpgradeOutcome = keyof typeof messages;

/** Minimum milliseconds between two log lines about the same outcome; the later one counts the upgrades in between. */
const logEveryMs = 10_000;

/** Counts upgrades by outcome and logs them: each one that is handed over; the others, per outcome, with one line in ten seconds. */
export class UpgradeReports {
  readonly #log: Logger;
  /** Upgrades by outcome. */
  readonly total: Record<UpgradeOutcome, number> = {
    handed_over: 0,
    refused_full: 0,
    refused_limit: 0,
    refused_stopping: 0,
    timed_out: 0,
    client_left: 0,
  };
  readonly #unlogged = new Map<UpgradeOutcome, { count: number; loggedAt: number }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  add(outcome: UpgradeOutcome, ms: number): void {
    this.total[outcome]++;
    const message = messages[outcome];
    if (message === undefined) {
      this.#log.info({ ms: Math.round(ms * 10) / 10 }, 'upgrade handed over to the runtime');
      return;
    }
    const entry = this.#unlogged.get(outcome) ?? { count: 0, loggedAt: Number.NEGATIVE_INFINITY };
    this.#unlogged.set(outcome, entry);
    entry.count++;
    if (performance.now() - entry.loggedAt < logEveryMs) return;
    const level = outcome === 'client_left' || outcome === 'refused_stopping' ? 'info' : 'warn';
    this.#log[level]({ upgrades: entry.count, outcome }, message);
    entry.count = 0;
    entry.loggedAt = performance.now();
  }
}
