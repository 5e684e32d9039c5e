import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { KeyRing } from './keys/authenticate.ts';
import type { RateLimits } from './limits/rate.ts';
import type { LifecycleDeps } from './sessions/lifecycle.ts';
import { Retention } from './sessions/retention.ts';
import { lookEveryMs, SilenceWatch } from './sessions/silence.ts';
import type { Database } from './store/database.ts';
import { RoomWatch } from './store/room-watch.ts';

const everyMs = 10_000;
const batchSize = 1_000;
/** How long one round may take: half of the time between rounds, so that what piles up is always worked off. */
const roundMs = 5_000;

export interface HousekeepingDeps {
  lifecycle: LifecycleDeps;
  keyRing: KeyRing;
  rates: RateLimits;
  /** Absent: sessions are kept for good. */
  retentionDays: number | undefined;
}

/** Starts the periodic work that belongs to no request. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  const { database, log } = deps.lifecycle;
  const watches: Watches = {
    room: new RoomWatch(database, log),
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

/** Runs `work` at an interval, and skips a turn while the one before is still running. */
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
  room: RoomWatch;
  retention: Retention | undefined;
}

async function round({ lifecycle, keyRing, rates }: HousekeepingDeps, watches: Watches): Promise<void> {
  const { database, log } = lifecycle;
  await attempt(log, () => keyRing.flush());
  await attempt(log, () => rates.clean());
  await attempt(log, () => forgetExpiredClaims(database));
  await attempt(log, async () => watches.retention?.run());
  await attempt(log, async () => database.own?.maintain(log));
  await attempt(log, () => watches.room.look());
}

/**
 * Idempotency records older than a day, in bounded batches, leaving alone what somebody else has locked. A minute more,
 * because a replay that began in time reads its record more than once.
 */
export async function forgetExpiredClaims(database: Database, timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  do {
    const deleted = await database.orm.execute(sql`
      DELETE FROM idempotency_keys WHERE hash IN (
        SELECT hash FROM idempotency_keys WHERE expires_at <= now() - interval '1 minute'
         ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
      RETURNING 1`);
    if ((deleted as unknown as { rows: unknown[] }).rows.length < batchSize) return;
  } while (performance.now() < until);
}

async function attempt(log: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn({ err: error }, 'housekeeping failed; it is tried again later');
  }
}
