import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type pg from 'pg';
import { idAt, insertSlice, type Slice } from './fill.ts';

/**
 * Replaces the empty table of sessions by one that is partitioned by ranges of the id, with the same columns, checks, indexes, triggers and
 * references. Ids start with the time of the mint, so a range of ids is a range of time and the primary key stays the id alone.
 */
async function replaceTable(client: pg.Client): Promise<void> {
  const list = async (sql: string) => (await client.query<{ sql: string }>(sql)).rows.map((row) => row.sql);
  const indexes = await list(
    `SELECT indexdef AS sql FROM pg_indexes WHERE tablename = 'sessions' AND indexname <> 'sessions_pkey'`,
  );
  const triggers = await list(
    `SELECT pg_get_triggerdef(oid) AS sql FROM pg_trigger WHERE tgrelid = 'sessions'::regclass AND NOT tgisinternal`,
  );
  const references = await list(
    `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS sql
       FROM pg_constraint WHERE confrelid = 'sessions'::regclass`,
  );
  await client.query('ALTER TABLE sessions RENAME TO plain_sessions');
  await client.query(
    'CREATE TABLE sessions (LIKE plain_sessions INCLUDING DEFAULTS INCLUDING CONSTRAINTS) PARTITION BY RANGE (id)',
  );
  await client.query('DROP TABLE plain_sessions CASCADE');
  await client.query('ALTER TABLE sessions ADD PRIMARY KEY (id)');
  for (const statement of [...indexes, ...triggers, ...references]) await client.query(statement);
}

/** Makes and fills one partition for each slice, and an empty one for the sessions that are minted from now on. */
export async function fillPartitioned(
  url: string,
  slices: readonly Slice[],
  progress: (text: string) => void,
): Promise<void> {
  await onDatabase(url, async (client) => {
    await client.query('DELETE FROM sessions');
    await replaceTable(client);
    for (const [n, slice] of slices.entries()) {
      progress(`storing month ${n + 1} of ${slices.length} as a partition`);
      await client.query(
        `CREATE TABLE ${nameOf(n)} (LIKE sessions INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
      );
      await insertSlice(client, nameOf(n), slice);
      await attach(client, n, slice.from, slice.to);
    }
    const { to } = slices.at(-1)!;
    await client.query(
      `CREATE TABLE ${nameOf(slices.length)} (LIKE sessions INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    );
    await attach(client, slices.length, to, to + 365 * 86_400_000);
  });
}

const nameOf = (month: number) => `sessions_month_${month}`;

/** Builds the indexes of the partition, too. */
async function attach(client: pg.Client, month: number, from: number, to: number): Promise<void> {
  const { rows } = await client.query<{ low: string; high: string }>(
    `SELECT ${idAt('$1::bigint')} AS low, ${idAt('$2::bigint')} AS high`,
    [from, to],
  );
  const { low, high } = rows[0]!;
  await client.query(
    `ALTER TABLE sessions ATTACH PARTITION ${nameOf(month)} FOR VALUES FROM ('${low}') TO ('${high}')`,
  );
}

/**
 * What the retention would have to do with a month that is over: check that no session of it is in use, remember which experiences were
 * launched, and drop the partition. Returns the milliseconds it took.
 */
export async function dropMonth(url: string, month: number): Promise<number> {
  const began = performance.now();
  await onDatabase(url, async (client) => {
    const name = nameOf(month);
    const { rows } = await client.query<{ used: boolean }>(
      `SELECT EXISTS (SELECT FROM active_sessions a JOIN ${name} s ON s.id = a.session_id)
           OR EXISTS (SELECT FROM idempotency_keys k JOIN ${name} s ON s.id = k.session_id)
           OR EXISTS (SELECT FROM uncounted_sessions u JOIN ${name} s ON s.id = u.session_id) AS used`,
    );
    if (rows[0]?.used) throw new Error(`sessions of ${name} are in use`);
    await client.query(
      `UPDATE experiences e SET was_launched = true
        WHERE NOT was_launched
          AND EXISTS (SELECT FROM ${name} s WHERE s.project_id = e.project_id AND s.experience_id = e.id)`,
    );
    await client.query(`ALTER TABLE sessions DETACH PARTITION ${name} CONCURRENTLY`);
    await client.query(`DROP TABLE ${name}`);
  });
  return performance.now() - began;
}
