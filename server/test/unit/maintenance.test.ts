import { readFile } from 'node:fs/promises';
import pino from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { forgetExpiredClaims } from '../../src/start/housekeeping.ts';
import { type EmbeddedDatabase, openInMemory } from '../../src/store/embedded/embedded.ts';
import { maintain } from '../../src/store/embedded/maintenance.ts';

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await openInMemory(await readFile(inject('dump')));
});
afterAll(() => database.close());

const one = async <T>(text: string): Promise<T> => {
  const { rows } = await database.client.query<{ value: T }>(text);
  return rows[0]!.value;
};

/** Runs the maintenance of the engine and returns the log lines. */
async function maintained(checkpoints = { held: false }): Promise<string[]> {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).statement) });
  await maintain({ client: database.client, log, checkpoints });
  return lines;
}

/** Inserts old idempotency records; foreign keys are disabled here. */
async function claim(count: number): Promise<void> {
  await database.client.transaction(async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(`INSERT INTO idempotency_keys (hash, fingerprint, session_id, expires_at)
      SELECT sha256(gen_random_uuid()::text::bytea), sha256(i::text::bytea), 'ses_' || i, now() - interval '1 hour'
        FROM generate_series(1, ${count}) i`);
  });
}

test('a nearly idle engine needs no maintenance', async () => {
  expect(await maintained()).toEqual([]);
});

test('the WAL is truncated by a checkpoint when it has grown, and no backup is being copied', async () => {
  const logBytes =
    'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::integer AS value FROM pg_control_checkpoint()';
  await database.client.query('CREATE TABLE texts (value text)');
  for (let round = 0; (await one<number>(logBytes)) < 50 * 1024 * 1024; round++) {
    expect(round).toBeLessThan(100);
    await database.client.query("INSERT INTO texts VALUES ('x')");
    // Fills the rest of a WAL file.
    await database.client.query('SELECT pg_switch_wal()');
  }
  expect(await maintained({ held: true })).toEqual([]);
  expect(await maintained()).toContain('CHECKPOINT');
  expect(await one<number>(logBytes)).toBeLessThan(1024 * 1024);
});

test('the space of deleted idempotency records is reused', async () => {
  const sizes: number[] = [];
  for (let day = 0; day < 3; day++) {
    await claim(11_000);
    sizes.push(await one<number>("SELECT pg_total_relation_size('idempotency_keys')::integer AS value"));
    await forgetExpiredClaims(database, 60_000);
    expect(await maintained()).toContain('VACUUM (FREEZE, INDEX_CLEANUP ON) idempotency_keys');
  }
  // Without maintenance, each day would add as much as the first.
  expect(sizes[2]).toBeLessThan(sizes[0]! * 2);
});

test('a table gets statistics once it has some thousand rows, and again once a fifth of them have changed', async () => {
  await database.client.query('CREATE TABLE counted (n integer)');
  await database.client.query('INSERT INTO counted SELECT generate_series(1, 1000)');
  expect(await maintained()).toEqual([]);
  await database.client.query('INSERT INTO counted SELECT generate_series(1, 10000)');
  expect(await maintained()).toEqual(['ANALYZE counted']);
  expect(
    await one<number>("SELECT reltuples::integer AS value FROM pg_class WHERE relname = 'counted'"),
  ).toBe(11_000);
  expect(await maintained()).toEqual([]);
  await database.client.query('UPDATE counted SET n = 0 WHERE n < 2000');
  expect(await maintained()).toEqual(['ANALYZE counted']);
});

test('a table without statistics gets them although the counters of its changes are lost', async () => {
  await database.client.query('CREATE TABLE restored (n integer)');
  await database.client.query('INSERT INTO restored SELECT generate_series(1, 20000)');
  await database.client.query('SELECT pg_stat_force_next_flush()');
  await database.client.query('SELECT pg_stat_reset()');
  expect(await maintained()).toEqual(['ANALYZE restored']);
  expect(await maintained()).toEqual([]);
});

test('rows are frozen long before transaction ids wrap around, without scanning indexes', async () => {
  const notOld = `SELECT count(*)::integer AS value FROM pg_class
                   WHERE oid = 'numbers'::regclass AND relallfrozen < relpages`;
  await database.client.query('CREATE TABLE numbers (n integer PRIMARY KEY)');
  await database.client.query('INSERT INTO numbers SELECT generate_series(1, 51000)');
  expect(await maintained()).toContain('VACUUM (FREEZE, INDEX_CLEANUP OFF) numbers');
  expect(await one<number>(notOld)).toBe(0);
  expect(await maintained()).toEqual([]);
});
