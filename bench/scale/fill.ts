import { onDatabase } from '@session-launch/testing/postgres-server.ts';

/** A connection to PostgreSQL or to the embedded engine. */
export interface SqlClient {
  query<Row extends object>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

const dayMs = 86_400_000;
/** Days of a month in this benchmark. */
const monthDays = 30;
/** Stored sessions are spread evenly over this many months; the oldest month is past the retention period. */
export const months = 4;
export const retentionDays = (months - 1) * monthDays;

/** A range of stored sessions: their numbers, and when the first and the last of them was created (milliseconds). */
export interface Slice {
  first: number;
  count: number;
  from: number;
  to: number;
}

/** Splits `sessions` into months that end at `now`, the oldest first. */
export function monthsOf(sessions: number, now: number): Slice[] {
  const count = Math.floor(sessions / months);
  return Array.from({ length: months }, (_, n) => ({
    first: n * count,
    count,
    from: now - (months - n) * monthDays * dayMs,
    to: now - (months - n - 1) * monthDays * dayMs,
  }));
}

/** The smallest session id of a time in milliseconds, as SQL: a time of 50 bits in base 32, as the service makes ids. */
export function idAt(milliseconds: string): string {
  const symbol = (shift: number) =>
    `substr('0123456789abcdefghjkmnpqrstvwxyz', (((${milliseconds}) >> ${shift}) & 31)::integer + 1, 1)`;
  return `'ses_' || ${Array.from({ length: 10 }, (_, n) => symbol(45 - 5 * n)).join(' || ')}`;
}

/**
 * Inserts sessions that have ended, with the values of a minted one. Ids and times ascend. One session in five expired without a client.
 * Each has one of a million users, in no order.
 */
export async function insertSlice(client: SqlClient, table: string, slice: Slice): Promise<void> {
  const { first, count, from, to } = slice;
  // Triggers check references row by row or collect all rows of the statement.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `INSERT INTO ${table} (id, project_id, experience_id, revision, livemode, source, user_id, given, created_at, expires_at,
                           started_at, runtime_id, ended_at, end_reason, seconds)
     SELECT ${idAt('t.ms')} || '7' || substr(md5(($3::bigint + i)::text), 1, 15), m.project_id, 'exp_bench_' || i % 100, m.revision,
            m.livemode, m.source, 'user-' || ($3::bigint + i) * 7919 % 1000000, m.given, t.at, t.at + (m.expires_at - m.created_at),
            CASE WHEN i % 5 > 0 THEN t.at END, CASE WHEN i % 5 > 0 THEN 'rt_0123456789abcdef' END,
            CASE WHEN i % 5 > 0 THEN t.at + interval '5 minutes' END, CASE WHEN i % 5 > 0 THEN 'client_ended' END,
            CASE WHEN i % 5 > 0 THEN 290 ELSE 0 END
       FROM minted m, generate_series(0, $4::bigint - 1) i,
            -- OFFSET 0 keeps the planner from computing these for every use.
            LATERAL (SELECT $1::bigint + ($2::bigint - $1::bigint) * i / $4::bigint AS ms OFFSET 0) c,
            LATERAL (SELECT c.ms, to_timestamp(c.ms / 1000.0) AS at OFFSET 0) t`,
    [from, to, first, count],
  );
  await client.query(`SET session_replication_role = 'origin'`);
}

/** Keeps the minted session as the pattern of the stored ones, and counts everything before `until` as rolled up into the usage. */
export async function keepPattern(url: string, until: number): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query('CREATE TABLE minted AS SELECT * FROM sessions LIMIT 1');
    await client.query(
      `INSERT INTO usage_progress (below, next, revisions_below) SELECT id, id, id FROM (SELECT ${idAt('$1::bigint')} AS id) until
       ON CONFLICT (is_only) DO UPDATE
         SET below = EXCLUDED.below, next = EXCLUDED.next, revisions_below = EXCLUDED.revisions_below, announced_by = NULL`,
      [until],
    );
  });
}

/** Fills the table as the migrations made it. All indexes but the primary key are built after the rows are inserted. */
export async function fillPlain(
  client: SqlClient,
  slices: readonly Slice[],
  progress: (text: string) => void,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
      WHERE tablename = 'sessions' AND indexname <> 'sessions_pkey'`,
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  for (const [n, slice] of slices.entries()) {
    progress(`storing month ${n + 1} of ${slices.length}`);
    await insertSlice(client, 'sessions', slice);
  }
  for (const { name, definition } of rows) {
    progress(`building ${name}`);
    await client.query(definition);
  }
}

/** Statistics, visibility map and dirty pages are written now, not during a measurement. */
export async function settle(url: string): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query('VACUUM (FREEZE, ANALYZE) sessions');
    await client.query('CHECKPOINT');
  });
}
