import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { KeyRing } from './keys/authenticate.ts';
import type { RateLimits } from './limits/rate.ts';
import { endSilentSessions, type LifecycleDeps } from './sessions/lifecycle.ts';
import { Retention } from './sessions/retention.ts';
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

/** What has to be done now and then and never inside a request. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  const { database, log } = deps.lifecycle;
  let running: Promise<void> | undefined;
  const watches: Watches = {
    room: new RoomWatch(database, log),
    silence: silenceWatch(deps.lifecycle),
    retention:
      deps.retentionDays === undefined ? undefined : new Retention(deps.lifecycle, deps.retentionDays),
  };
  const timer = setInterval(() => {
    running ??= round(deps, watches).finally(() => {
      running = undefined;
    });
  }, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
      await attempt(log, () => deps.keyRing.flush());
    },
  };
}

interface Watches {
  room: RoomWatch;
  silence: () => Promise<void>;
  retention: Retention | undefined;
}

async function round({ lifecycle, keyRing, rates }: HousekeepingDeps, watches: Watches): Promise<void> {
  const { database, log } = lifecycle;
  await attempt(log, watches.silence);
  await attempt(log, () => keyRing.flush());
  await attempt(log, () => rates.clean());
  await attempt(log, () => forgetExpiredClaims(database));
  await attempt(log, async () => watches.retention?.run());
  await attempt(log, async () => database.own?.maintain(log));
  await attempt(log, () => watches.room.look());
}

/**
 * While the database was away nobody could report, and runtimes went on talking. So silence counts only when the database
 * answered a round ago, too: runtimes had ten seconds to say what they could not say before.
 */
export function silenceWatch(lifecycle: LifecycleDeps): () => Promise<void> {
  let wasThere = false;
  return async () => {
    const couldReport = wasThere;
    wasThere = false;
    if (couldReport) await endSilentSessions(lifecycle);
    else await lifecycle.database.query('everyday', { name: 'is_there', text: 'SELECT 1' }, []);
    wasThere = true;
  };
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
