import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

/** Maximum sessions that one call of the SQL function `roll_up_usage` counts. */
const batchSize = 1_000;
/** Maximum milliseconds per round, so that a backlog is worked off without delaying other housekeeping. */
const roundMs = 2_000;
/** Sessions are counted this long after their mint. Until then most of them have ended, and no mint with an older id is in flight. */
const afterMs = 3_600_000;

export const rollUp: Statement = {
  name: 'roll_up_usage',
  text: 'SELECT roll_up_usage($1, $2, $3) AS more',
};

/** Adds finished sessions to the usage per day, in batches. A batch locks nothing that a mint needs. Any number of processes may do it. */
export async function rollUpUsage(database: Database, at = new Date(), timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  const targetTime = new Date(at.getTime() - afterMs);
  const target = firstIdAt('ses', targetTime.getTime());
  let more: boolean;
  do {
    const values = [target, targetTime, batchSize];
    const [row] = await database.query<{ more: boolean }>('everyday', rollUp, values);
    more = row?.more ?? false;
  } while (more && performance.now() < until);
}
