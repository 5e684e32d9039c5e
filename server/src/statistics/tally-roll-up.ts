import type { Database, Statement } from '../store/database.ts';
import { maxCauses, maxNamed, otherOrigins } from './tally.ts';
import { keptDays } from './tally-rows.ts';

const hourMs = 3_600_000;
/** Maximum rows that one statement moves. */
const batchSize = 1_000;
/** Maximum milliseconds of one round. */
const roundMs = 2_000;
/** Milliseconds between two rounds of a process. */
const everyMs = 60_000;

/**
 * Lengths to which minutes are added up, in seconds, and after how many milliseconds: each divides the interval of all windows of the
 * overview that reach that far back. The oldest first, so that minutes of another day are moved once.
 */
const steps = [
  { seconds: 3_600, afterMs: 25 * hourMs, upToMs: (keptDays + 1) * 24 * hourMs },
  { seconds: 900, afterMs: 1.25 * hourMs, upToMs: 26 * hourMs },
];

/**
 * Only one process at a time runs a statement: two that move rows of the same intervals could deadlock. An advisory lock, so that the others
 * do not wait.
 */
const isAlone = 'pg_try_advisory_xact_lock(7315042020)';

/**
 * Adds rows to the row of the interval of $2 seconds in which they lie, and deletes them. Looks only at rows that are not at the start of an
 * interval, by a range of the index for each interval that $1 lists, so that a repetition finds nothing. A row of the interval may be
 * written by a flush at the same time: both add to it.
 */
function dueRowsOf(table: string): string {
  return `
    due AS MATERIALIZED (
      SELECT due.ctid AS id, due.project_id, step.at
        FROM (SELECT start::timestamptz AS at FROM unnest($1::text[]) AS start) AS step
        CROSS JOIN LATERAL (
          SELECT t.ctid, t.project_id FROM ${table} t
           WHERE t.minute > step.at AND t.minute < step.at + make_interval(secs => $2)
           ORDER BY t.minute LIMIT ${batchSize} FOR UPDATE SKIP LOCKED) AS due
       WHERE ${isAlone}
       LIMIT ${batchSize}
    )`;
}

/** Start of the interval of a row. */
const interval = 'to_timestamp(floor(extract(epoch FROM minute) / $2) * $2)';

/**
 * Keeps the most frequent origins of each project and interval and adds the others to `others`: a visitor can invent any number of origins,
 * which no two minutes have in common. In the same way it keeps the most frequent combinations of endpoint, code and experience. The rows of the
 * interval are deleted and inserted again, so that a combination of an earlier batch gives way to a more frequent one. The origins and
 * experiences of launches and replays, which processes of earlier versions write, are dropped, because nothing reads them.
 */
export const rollTallies: Statement = {
  name: 'roll_up_tallies',
  text: `
    WITH ${dueRowsOf('tallies')}, named AS MATERIALIZED (
      SELECT t.id FROM (SELECT DISTINCT project_id, at FROM due) AS d
       CROSS JOIN LATERAL (
         SELECT t.ctid AS id FROM tallies t
          WHERE t.project_id = d.project_id AND t.minute = d.at AND t.experience_id <> ''
          FOR UPDATE SKIP LOCKED) AS t
    ), moved AS (
      DELETE FROM tallies WHERE ctid = ANY (ARRAY(SELECT id FROM due UNION ALL SELECT id FROM named)) RETURNING *
    ), summed AS (
      SELECT m.project_id, m.at, m.door, m.code, m.experience_id, m.origin, sum(m.count) AS count, max(m.last_at) AS last_at,
             row_number() OVER (PARTITION BY m.project_id, m.at, m.origin IN ('', '${otherOrigins}')
                                ORDER BY sum(m.count) DESC, max(m.last_at) DESC) AS place
        FROM (SELECT project_id, ${interval} AS at, door, code, count, last_at,
                     CASE WHEN code IN ('launched', 'replayed') THEN '' ELSE experience_id END AS experience_id,
                     CASE WHEN code IN ('launched', 'replayed') THEN '' ELSE origin END AS origin FROM moved) AS m
       GROUP BY 1, 2, 3, 4, 5, 6
    ), named_origins AS (
      SELECT project_id, at, door, code, experience_id, sum(count) AS count, max(last_at) AS last_at,
             CASE WHEN origin = '' OR place <= ${maxNamed} THEN origin ELSE '${otherOrigins}' END COLLATE "C" AS origin
        FROM summed GROUP BY project_id, at, door, code, experience_id, 8
    ), causes AS (
      SELECT n.*, row_number() OVER (PARTITION BY project_id, at, experience_id <> '' AND origin IN ('', '${otherOrigins}')
                                     ORDER BY count DESC, last_at DESC) AS place
        FROM named_origins n
    ), added AS (
      INSERT INTO tallies AS t (project_id, minute, door, code, experience_id, origin, count, last_at)
        SELECT project_id, at, door, code,
               CASE WHEN origin IN ('', '${otherOrigins}') AND place > ${maxCauses} THEN '' ELSE experience_id END COLLATE "C",
               origin, sum(count)::integer, max(last_at)
          FROM causes GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
      ON CONFLICT (project_id, minute, door, code, experience_id, origin)
        DO UPDATE SET count = t.count + EXCLUDED.count, last_at = greatest(t.last_at, EXCLUDED.last_at)
    )
    SELECT count(*)::integer AS moved FROM due`,
};

export const rollDurations: Statement = {
  name: 'roll_up_mint_durations',
  text: `
    WITH ${dueRowsOf('mint_durations')}, moved AS (
      DELETE FROM mint_durations WHERE ctid = ANY (ARRAY(SELECT id FROM due)) RETURNING *
    ), added AS (
      INSERT INTO mint_durations AS t (project_id, minute, bucket, count)
        SELECT project_id, ${interval}, bucket, sum(count)::integer FROM moved GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (project_id, minute, bucket) DO UPDATE SET count = t.count + EXCLUDED.count
    )
    SELECT count(*)::integer AS moved FROM due`,
};

/** Adds old minutes up to longer intervals, so that a read of a long window does not read every minute. */
export class TallyRollUp {
  readonly #database: Database;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Does nothing if this process has done it within the last minute. */
  async run(at = new Date()): Promise<void> {
    if (performance.now() < this.#latest + everyMs) return;
    this.#latest = performance.now();
    await rollUpTallies(this.#database, at);
  }
}

export async function rollUpTallies(database: Database, at: Date, timeMs = roundMs): Promise<void> {
  const until = performance.now() + timeMs;
  for (const { seconds, afterMs, upToMs } of steps) {
    const starts = startsBetween(at.getTime() - upToMs, at.getTime() - afterMs, seconds * 1000);
    for (const statement of [rollTallies, rollDurations]) {
      let moved: number;
      do {
        const [row] = await database.query<{ moved: number }>('everyday', statement, [starts, seconds]);
        moved = row!.moved;
      } while (moved === batchSize && performance.now() < until);
    }
  }
}

/** The starts of the intervals that end before `to`, from that of the hour of `from` on. */
function startsBetween(from: number, to: number, ms: number): string[] {
  const first = Math.floor(from / hourMs) * hourMs;
  const count = Math.max(0, Math.floor(to / ms) - first / ms);
  return Array.from({ length: count }, (_, n) => new Date(first + n * ms).toISOString());
}
