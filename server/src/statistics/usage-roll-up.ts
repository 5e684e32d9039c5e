import { setTimeout as sleep } from 'node:timers/promises';
import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

/** Maximum sessions that one call of the SQL function `roll_up_usage` counts. */
const batchSize = 1_000;
/** Maximum milliseconds per round, so that a backlog is worked off without delaying other housekeeping. */
const roundMs = 2_000;
/** Milliseconds before a batch that met a lock is tried again, and maximum tries. Connects of sessions behind the watermark lock for an instant. */
const busyMs = 20;
const maxTries = 25;
/**
 * Sessions are counted this many milliseconds after their mint. Reads aggregate the newer ones, so a longer time makes reads slower; after a
 * shorter one, more sessions would still be active and be counted in two steps. Must exceed the minute that `roll_up_usage` adds to the time
 * in `usage_announced`: otherwise every mint would query `usage_progress`.
 */
export const rollUpAfterMs = 300_000;

export const rollUp: Statement = {
  name: 'roll_up_usage',
  text: 'SELECT roll_up_usage($1, $2, $3) AS more',
};

/** Adds finished sessions to the usage per day, in batches. A batch locks nothing that a mint needs. Any number of processes may do it. */
export async function rollUpUsage(database: Database, at = new Date(), timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  const targetTime = new Date(at.getTime() - rollUpAfterMs);
  const target = firstIdAt('ses', targetTime.getTime());
  let more: boolean | null;
  let tries = 0;
  do {
    const values = [target, targetTime, batchSize];
    const [row] = await database.query<{ more: boolean | null }>('everyday', rollUp, values);
    more = row!.more;
    tries = more === null ? tries + 1 : 0;
    if (more === null) await sleep(busyMs);
  } while (more !== false && tries < maxTries && performance.now() < until);
}
