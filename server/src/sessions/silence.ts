import type { Database, Statement } from '../store/database.ts';
import type { LifecycleDeps } from './lifecycle.ts';

/** Milliseconds without a report after which the runtime of a session counts as lost. */
const silenceMs = 60_000;
/** Milliseconds between two checks. */
export const lookEveryMs = 5_000;
/** A gap between two checks counts as at most this many milliseconds: during a longer one, the process was stopped and got no reports. */
const longestGapMs = 2 * lookEveryMs;
/** Maximum number of groups that one check reads. */
const maxGroups = 10_000;
/** Maximum sessions that one statement ends. */
const batchSize = 500;

/** Sessions of one runtime with the same last report: a runtime reports all of its sessions in one statement. */
interface ReportGroup {
  runtimeId: string;
  /** Milliseconds by the database's clock. Used only to detect that a newer report has arrived. */
  reportedAt: number;
}

/**
 * Ends sessions whose runtime has stopped reporting. How long ago the last report came is measured with the monotonic clock of this
 * process: a step of the database's clock neither ends a session nor keeps one active. Any number of processes may watch.
 *
 * A new process starts counting at its first check. Time without checks, because the database was unavailable or the process was stopped,
 * does not count, since runtimes could not report then.
 */
export class SilenceWatch {
  readonly #deps: LifecycleDeps;
  readonly #clock: () => number;
  /** When each group was first seen, on the scale of `#watchedMs`. */
  #firstSeen = new Map<string, number>();
  /** Milliseconds watched in total. */
  #watchedMs = 0;
  #lookedAt: number | undefined;

  constructor(deps: LifecycleDeps, clock = () => performance.now()) {
    this.#deps = deps;
    this.#clock = clock;
  }

  async look(): Promise<void> {
    const before = this.#lookedAt;
    this.#lookedAt = undefined;
    const groups = await reportGroups(this.#deps.database);
    const now = this.#clock();
    if (before !== undefined) this.#watchedMs += Math.min(now - before, longestGapMs);
    const firstSeen = new Map<string, number>();
    const silent = groups.filter(({ runtimeId, reportedAt }) => {
      const key = `${reportedAt} ${runtimeId}`;
      const since = this.#firstSeen.get(key) ?? this.#watchedMs;
      firstSeen.set(key, since);
      return this.#watchedMs - since >= silenceMs;
    });
    this.#firstSeen = firstSeen;
    if (silent.length > 0) await endLostSessions(this.#deps, silent);
    this.#lookedAt = now;
  }
}

/** At most `maxGroups` groups: first those with a report time in the future (the clock was set back), then the oldest. */
export const groupReports: Statement = {
  name: 'group_reports',
  text: `SELECT runtime_id AS "runtimeId", (extract(epoch FROM reported_at) * 1000)::double precision AS "reportedAt"
           FROM active_sessions GROUP BY runtime_id, reported_at
          ORDER BY reported_at <= now(), reported_at LIMIT ${maxGroups}`,
};

function reportGroups(database: Database): Promise<ReportGroup[]> {
  return database.query<ReportGroup>('everyday', groupReports, []);
}

export const endLost: Statement = {
  name: 'end_lost_sessions',
  text: 'SELECT session_id FROM end_lost_sessions($1, $2)',
};

async function endLostSessions(
  { database, log, counts, onStatus }: LifecycleDeps,
  silent: readonly ReportGroup[],
): Promise<void> {
  const groups = JSON.stringify(silent);
  for (;;) {
    const ended = await database.query<{ session_id: string }>('everyday', endLost, [groups, batchSize]);
    counts.lost(ended.length);
    for (const { session_id: sessionId } of ended) {
      log.warn({ sessionId, reason: 'runtime_lost' }, 'a session has ended: its runtime stopped reporting');
      onStatus?.(sessionId, 'ended');
    }
    if (ended.length < batchSize) return;
  }
}
