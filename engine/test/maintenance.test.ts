import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Engine, openInMemory } from '../src/index.ts';
import { maintain } from '../src/maintenance.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openInMemory(await readFile(inject('dump')));
});
afterAll(() => engine.close());

const one = async <T>(text: string): Promise<T> => {
  const { rows } = await engine.client.query<{ value: T }>(text);
  return rows[0]!.value;
};

/** Runs the maintenance of the engine and returns the log lines. */
async function maintained(checkpoints = { held: false }): Promise<string[]> {
  const lines: string[] = [];
  const log = { info: ({ statement }: { statement: string }) => lines.push(statement) };
  await maintain({ client: engine.client, log, checkpoints });
  return lines;
}

test('a nearly idle engine needs no maintenance', async () => {
  expect(await maintained()).toEqual([]);
});

test('the WAL is truncated by a checkpoint when it has grown, and no backup is being copied', async () => {
  const logBytes =
    'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::integer AS value FROM pg_control_checkpoint()';
  await engine.client.query('CREATE TABLE texts (value text)');
  for (let round = 0; (await one<number>(logBytes)) < 50 * 1024 * 1024; round++) {
    expect(round).toBeLessThan(100);
    await engine.client.query("INSERT INTO texts VALUES ('x')");
    // Fills the rest of a WAL file.
    await engine.client.query('SELECT pg_switch_wal()');
  }
  expect(await maintained({ held: true })).toEqual([]);
  expect(await maintained()).toContain('CHECKPOINT');
  expect(await one<number>(logBytes)).toBeLessThan(1024 * 1024);
});

test('the space of deleted rows is reused', async () => {
  const sizes: number[] = [];
  await engine.client.query('CREATE TABLE claims (hash bytea PRIMARY KEY, expires_at timestamptz)');
  for (let day = 0; day < 3; day++) {
    await engine.client.query(`INSERT INTO claims
      SELECT sha256(gen_random_uuid()::text::bytea), now() FROM generate_series(1, 11000)`);
    sizes.push(await one<number>("SELECT pg_total_relation_size('claims')::integer AS value"));
    await engine.client.query('DELETE FROM claims');
    expect(await maintained()).toContain('VACUUM (FREEZE, INDEX_CLEANUP ON) claims');
  }
  // Without maintenance, each day would add as much as the first.
  expect(sizes[2]).toBeLessThan(sizes[0]! * 2);
});

test('a table gets statistics once it has some thousand rows, and again once a fifth of them have changed', async () => {
  await engine.client.query('CREATE TABLE counted (n integer)');
  await engine.client.query('INSERT INTO counted SELECT generate_series(1, 1000)');
  expect(await maintained()).toEqual([]);
  await engine.client.query('INSERT INTO counted SELECT generate_series(1, 10000)');
  expect(await maintained()).toEqual(['ANALYZE counted']);
  expect(
    await one<number>("SELECT reltuples::integer AS value FROM pg_class WHERE relname = 'counted'"),
  ).toBe(11_000);
  expect(await maintained()).toEqual([]);
  await engine.client.query('UPDATE counted SET n = 0 WHERE n < 2000');
  expect(await maintained()).toEqual(['ANALYZE counted']);
});

test('a table without statistics gets them although the counters of its changes are lost', async () => {
  await engine.client.query('CREATE TABLE restored (n integer)');
  await engine.client.query('INSERT INTO restored SELECT generate_series(1, 20000)');
  await engine.client.query('SELECT pg_stat_force_next_flush()');
  await engine.client.query('SELECT pg_stat_reset()');
  expect(await maintained()).toEqual(['ANALYZE restored']);
  expect(await maintained()).toEqual([]);
});

test('rows are frozen long before transaction ids wrap around, without scanning indexes', async () => {
  const notOld = `SELECT count(*)::integer AS value FROM pg_class
                   WHERE oid = 'numbers'::regclass AND relallfrozen < relpages`;
  await engine.client.query('CREATE TABLE numbers (n integer PRIMARY KEY)');
  await engine.client.query('INSERT INTO numbers SELECT generate_series(1, 51000)');
  expect(await maintained()).toContain('VACUUM (FREEZE, INDEX_CLEANUP OFF) numbers');
  expect(await one<number>(notOld)).toBe(0);
  expect(await maintained()).toEqual([]);
});
