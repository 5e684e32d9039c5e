import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { KeyRing } from './keys/authenticate.ts';
import type { RateLimits } from './limits/rate.ts';
import type { Database } from './store/database.ts';
import { RoomWatch } from './store/room-watch.ts';

const everyMs = 10_000;
const batchSize = 1_000;
/** How long one round may take: half of the time between rounds, so that what piles up is always worked off. */
const roundMs = 5_000;

export interface HousekeepingDeps {
  database: Database;
  keyRing: KeyRing;
  rates: RateLimits;
  log: Logger;
}

/** What has to be done now and then and never inside a request. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const room = new RoomWatch(deps.database, deps.log);
  const timer = setInterval(() => {
    running ??= round(deps, room).finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await attempt(deps.log, () => deps.keyRing.flush());
    },
  };
}

async function round({ database, keyRing, rates, log }: HousekeepingDeps, room: RoomWatch): Promise<void> {
  await attempt(log, () => keyRing.flush());
  await attempt(log, () => rates.clean());
  await attempt(log, () => forgetExpiredClaims(database));
  await attempt(log, async () => database.own?.maintain(log));
  await attempt(log, () => room.look());
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
