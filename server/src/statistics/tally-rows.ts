import type { Database, Statement } from '../store/database.ts';
import { onPool } from '../store/queries.ts';
import { bucketCount } from './durations.ts';
import type { Durations, Tally } from './tally.ts';

/** Maximum rows that one statement writes or deletes. */
const batchSize = 1_000;
/** Days after which counts are deleted. */
export const keptDays = 8;
/** Maximum milliseconds of one round of deletions. */
const roundMs = 2_000;

/** Rows are locked in the order of the primary key, so that concurrent flushes of several processes cannot deadlock. */
export const add: Statement = {
  name: 'add_tallies',
  text: `
    INSERT INTO tallies AS t (project_id, minute, door, code, experience_id, origin, count, last_at)
      SELECT r."projectId", to_timestamp(r.minute / 1000.0), r.endpoint, r.code, r."experienceId", r.origin,
             sum(r.count)::integer, to_timestamp(max(r."lastAt") / 1000.0)
        FROM json_to_recordset($1) AS r("projectId" text COLLATE "C", minute bigint, endpoint text COLLATE "C", code text COLLATE "C",
               "experienceId" text COLLATE "C", origin text COLLATE "C", count integer, "lastAt" bigint)
       GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (project_id, minute, door, code, experience_id, origin)
      DO UPDATE SET count = t.count + EXCLUDED.count, last_at = greatest(t.last_at, EXCLUDED.last_at)`,
};

/** Adds counters to those of the database. Removes from the list what was added, so that after a failure the rest remains. */
export async function addTallies(database: Database, tallies: Tally[]): Promise<void> {
  await inBatches(tallies, batchSize, (batch) => database.query('everyday', add, [JSON.stringify(batch)]));
}

export const addCounts: Statement = {
  name: 'add_mint_durations',
  text: `
    INSERT INTO mint_durations AS t (project_id, minute, bucket, count)
      SELECT r."projectId", to_timestamp(r.minute / 1000.0), r.bucket, sum(r.count)::integer
        FROM json_to_recordset($1) AS r("projectId" text COLLATE "C", minute bigint, bucket smallint, count integer)
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, minute, bucket) DO UPDATE SET count = t.count + EXCLUDED.count`,
};

/** The same for durations. */
export async function addDurations(database: Database, durations: Durations[]): Promise<void> {
  await inBatches(durations, Math.floor(batchSize / bucketCount), async (batch) => {
    const rows = batch.flatMap(({ projectId, minute, counts }) =>
      [...counts].flatMap((count, bucket) => (count === 0 ? [] : [{ projectId, minute, bucket, count }])),
    );
    if (rows.length > 0) await database.query('everyday', addCounts, [JSON.stringify(rows)]);
  });
}

async function inBatches<T>(
  items: T[],
  size: number,
  write: (batch: readonly T[]) => Promise<unknown>,
): Promise<void> {
  while (items.length > 0) {
    await write(items.slice(0, size));
    items.splice(0, size);
  }
}

export const deleteTallies: Statement = {
  name: 'delete_old_tallies',
  text: deletionOf('tallies'),
};

export const deleteDurations: Statement = {
  name: 'delete_old_mint_durations',
  text: deletionOf('mint_durations'),
};

function deletionOf(table: string): string {
  return `
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE minute < now() - interval '${keptDays} days' ORDER BY minute LIMIT ${batchSize}
         FOR UPDATE SKIP LOCKED))
    RETURNING 1`;
}

/** Deletes counts older than eight days, in batches. */
export async function deleteOldTallies(database: Database, timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  for (const statement of [deleteTallies, deleteDurations]) {
    let deleted: unknown[];
    do {
      deleted = await database.query('everyday', statement);
    } while (deleted.length === batchSize && performance.now() < until);
  }
}

export interface Point {
  /** Number of the interval: its start divided by the length. */
  interval: number;
  mints: number;
  replays: number;
  refused: number;
}

/**
 * Sums of the intervals since `from` that have any count. Like the two statements below, planned at each call: the planner has to know how
 * long the window is.
 */
export const readPoints = onPool('admin').many<[projectId: string, from: Date, seconds: number], Point>({
  text: `
    SELECT (extract(epoch FROM minute)::bigint / $3::bigint)::integer AS interval,
           coalesce(sum(count) FILTER (WHERE code = 'launched'), 0)::integer AS mints,
           coalesce(sum(count) FILTER (WHERE code = 'replayed'), 0)::integer AS replays,
           coalesce(sum(count) FILTER (WHERE code NOT IN ('launched', 'replayed')), 0)::integer AS refused
      FROM tallies WHERE project_id = $1 AND minute >= $2 GROUP BY 1`,
});

export interface RefusalCount {
  code: string;
  endpoint: Tally['endpoint'];
  experienceId: string;
  origin: string;
  count: number;
  lastAt: Date;
}

/** Maximum rows that the list of refusals examines, the newest first. */
const maxExamined = 50_000;

/** The most frequent refusals since `from`. */
export const readRefusals = onPool('admin').many<[id: string, from: Date, most: number], RefusalCount>({
  text: `
    SELECT code, door AS endpoint, experience_id AS "experienceId", origin, sum(count)::integer AS count, max(last_at) AS "lastAt"
      FROM (SELECT * FROM tallies WHERE project_id = $1 AND minute >= $2 AND code NOT IN ('launched', 'replayed')
             ORDER BY project_id DESC, minute DESC LIMIT ${maxExamined}) AS newest
     GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 6 DESC, 1, 2, 3, 4 LIMIT $3`,
});

type DurationCount = Record<'bucket' | 'count', number>;

export const readDurations = onPool('admin').many<[projectId: string, from: Date], DurationCount>({
  text: `SELECT bucket, sum(count)::integer AS count FROM mint_durations WHERE project_id = $1 AND minute >= $2 GROUP BY 1`,
});
