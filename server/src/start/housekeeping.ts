import type { Logger } from 'pino';
import type { KeyRing } from '../keys/authenticate.ts';
import type { RateLimits } from '../limits/rate.ts';
import type { LifecycleDeps } from '../sessions/lifecycle.ts';
import { Retention } from '../sessions/retention.ts';
import { lookEveryMs, SilenceWatch } from '../sessions/silence.ts';
import type { Database, Statement } from '../store/database.ts';
import { DiskSpaceWatch } from '../store/embedded/disk-space.ts';

const everyMs = 10_000;
const batchSize = 1_000;
/** Maximum duration of one round: half of the interval, so that a backlog is always worked off. */
const roundMs = 5_000;

export interface HousekeepingDeps {
  lifecycle: LifecycleDeps;
  keyRing: KeyRing;
  rates: RateLimits;
  /** Absent: sessions are kept indefinitely. */
  retentionDays: number | undefined;
}

/** Starts the periodic background work. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  const { database, log } = deps.lifecycle;
  const watches: Watches = {
    diskSpace: new DiskSpaceWatch(database, log),
    retention:
      deps.retentionDays === undefined ? undefined : new Retention(deps.lifecycle, deps.retentionDays),
  };
  const silence = new SilenceWatch(deps.lifecycle);
  const repeated = [
    repeat(everyMs, () => round(deps, watches)),
    repeat(lookEveryMs, () => attempt(log, () => silence.look())),
  ];
  return {
    stop: async () => {
      await Promise.all(repeated.map((one) => one.stop()));
      await attempt(log, () => deps.keyRing.flush());
    },
  };
}

/** Runs `work` at an interval; skips a round while the previous one is still running. */
function repeat(ms: number, work: () => Promise<void>): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= work().finally(() => {
      running = undefined;
    });
  }, ms);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

interface Watches {
  diskSpace: DiskSpaceWatch;
  retention: Retention | undefined;
}

async function round({ lifecycle, keyRing, rates }: HousekeepingDeps, watches: Watches): Promise<void> {
  const { database, log } = lifecycle;
  await attempt(log, () => keyRing.flush());
  await attempt(log, () => rates.clean());
  await attempt(log, () => forgetExpiredClaims(database));
  await attempt(log, async () => watches.retention?.run());
  await attempt(log, async () => database.own?.maintain(log));
  await attempt(log, () => watches.diskSpace.look());
}

export const deleteExpiredClaims: Statement = {
  name: 'delete_expired_claims',
  text: `DELETE FROM idempotency_keys WHERE hash IN (
           SELECT hash FROM idempotency_keys WHERE expires_at <= now() - interval '1 minute'
            ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
         RETURNING 1`,
};

/**
 * Deletes idempotency records older than a day, in bounded batches, skipping locked rows. Waits one extra minute, because a replay that
 * began in time reads its record more than once.
 */
export async function forgetExpiredClaims(database: Database, timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  do {
    const deleted = await database.query('everyday', deleteExpiredClaims);
    if (deleted.length < batchSize) return;
  } while (performance.now() < until);
}

async function attempt(log: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error }, 'housekeeping failed; it will be retried');
  }
}
