import type { Logger } from 'pino';
import { PictureNotes } from '../art/used-by.ts';
import { deleteOldAudit } from '../audit/delete-old-entries.ts';
import { DeletedProjects } from '../editing/delete-project.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import type { RateLimits } from '../limits/rate.ts';
import type { LivekitSessions } from '../livekit/livekit-sessions.ts';
import type { Authenticator } from '../operators/authenticate.ts';
import { deleteExpiredPreviews } from '../previews/previews.ts';
import type { ChangeDeps } from '../sessions/lifecycle.ts';
import { Retention } from '../sessions/retention.ts';
import { lookEveryMs, SilenceWatch } from '../sessions/silence.ts';
import type { Tallies } from '../statistics/tallies.ts';
import { TallyRollUp } from '../statistics/tally-roll-up.ts';
import { deleteOldTallies } from '../statistics/tally-rows.ts';
import { rollUpUsage } from '../statistics/usage-roll-up.ts';
import type { Changes } from '../store/changes.ts';
import type { Database, Statement } from '../store/database.ts';
import { DiskSpaceWatch } from '../store/disk-space.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';

const everyMs = 10_000;
const firstRollUpMs = 3_000;
const batchSize = 1_000;
/** Maximum milliseconds per round for deleting expired idempotency records: half of the interval between two rounds. */
const roundMs = 5_000;

export interface HousekeepingDeps {
  lifecycle: ChangeDeps;
  changes: Changes;
  keyRing: KeyRing;
  rates: RateLimits;
  tallies: Tallies;
  /** Absent: the admin API is off. */
  authenticator: Authenticator | undefined;
  dispatcher: Dispatcher;
  auditRetentionDays: number;
  /** Absent: LiveKit is not configured. */
  livekit: LivekitSessions | undefined;
  /** Absent: sessions are kept indefinitely. */
  retentionDays: number | undefined;
}

/** Starts the periodic background work. */
export function startHousekeeping(deps: HousekeepingDeps): { stop(): Promise<void> } {
  const { database, log } = deps.lifecycle;
  const watches: Watches = {
    deletedProjects: new DeletedProjects(deps.lifecycle, deps.changes),
    diskSpace: new DiskSpaceWatch(database, log),
    pictureNotes: new PictureNotes(database),
    tallyRollUp: new TallyRollUp(database),
  };
  // Apart from the rounds: its pauses would delay them.
  const retention =
    deps.retentionDays === undefined ? undefined : new Retention(deps.lifecycle, deps.retentionDays);
  const silence = new SilenceWatch(deps.lifecycle);
  // Earlier than the first round: a process that is restarted often must not fall behind.
  let first: Promise<void> | undefined;
  const soon = setTimeout(() => {
    first = attempt(log, () => rollUpFirst(database));
  }, firstRollUpMs).unref();
  const repeated = [
    repeat(everyMs, () => round(deps, watches)),
    repeat(lookEveryMs, () => attempt(log, () => silence.look())),
    repeat(everyMs, () => attempt(log, async () => retention?.run())),
    repeat(lookEveryMs, () => attempt(log, async () => deps.livekit?.look())),
  ];
  return {
    stop: async () => {
      clearTimeout(soon);
      retention?.stop();
      await Promise.all([first, ...repeated.map((one) => one.stop())]);
      await attempt(log, () => deps.keyRing.flush());
      await attempt(log, () => deps.tallies.flush());
      await attempt(log, async () => deps.authenticator?.flush());
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
  deletedProjects: DeletedProjects;
  diskSpace: DiskSpaceWatch;
  pictureNotes: PictureNotes;
  tallyRollUp: TallyRollUp;
}

async function round(deps: HousekeepingDeps, watches: Watches): Promise<void> {
  const { lifecycle, keyRing, rates, tallies, authenticator } = deps;
  const { database, log } = lifecycle;
  await attempt(log, () => keyRing.flush());
  await attempt(log, () => tallies.flush());
  await attempt(log, async () => authenticator?.flush());
  await attempt(log, async () => authenticator?.clean());
  await attempt(log, () => deleteOldAudit(database, deps.auditRetentionDays));
  await attempt(log, () => rates.clean());
  await attempt(log, () => forgetExpiredClaims(database));
  await attempt(log, () => deleteExpiredPreviews(database));
  await attempt(log, () => deleteOldTallies(database));
  await attempt(log, () => deps.dispatcher.clean());
  await attempt(log, () => watches.tallyRollUp.run());
  await attempt(log, () => rollUpUsage(database));
  await attempt(log, () => watches.pictureNotes.run());
  await attempt(log, () => watches.deletedProjects.run());
  await attempt(log, async () => database.own?.maintain(log));
  await attempt(log, () => watches.diskSpace.look());
}

export const findSession: Statement = { name: 'find_any_session', text: 'SELECT 1 FROM sessions LIMIT 1' };

/** Changes nothing in a database without sessions, because the start may still fail and must then have changed nothing. */
async function rollUpFirst(database: Database): Promise<void> {
  if ((await database.query('everyday', findSession)).length > 0) await rollUpUsage(database);
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
