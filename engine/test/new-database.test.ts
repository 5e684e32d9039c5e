import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { beforeAll, expect, test } from 'vitest';
import { extractNewDatabase } from '../src/new-database.ts';
import { PgliteClient } from '../src/pglite-client.ts';

const cleanup = useCleanup();
/** A database from the archive, and one on which the installed PGlite has run initdb. */
let extracted: PgliteClient;
let initialised: PgliteClient;

async function open(prepare: (folder: string) => Promise<void>): Promise<PgliteClient> {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const database = join(folder.path, 'database');
  await mkdir(database);
  await prepare(database);
  const client = await PgliteClient.open({ folder: database });
  cleanup(() => client.close());
  return client;
}

beforeAll(async () => {
  extracted = await open(async (folder) => {
    await extractNewDatabase(folder);
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true);
  });
  initialised = await open(async () => {});
});

async function same(text: string): Promise<void> {
  const [found, expected] = await Promise.all([extracted.query(text), initialised.query(text)]);
  expect(expected.rows.length).toBeGreaterThan(0);
  expect(found.rows, text).toEqual(expected.rows);
}

test('the archive has the on-disk format of the installed PGlite', async () => {
  await same('SELECT pg_control_version, catalog_version_no FROM pg_control_system()');
  await same('SELECT * FROM pg_control_init()');
});

test('the archive has the catalogs that initdb creates', async () => {
  // Without statistics, which are random samples, and the version of PostgreSQL.
  const { rows } = await initialised.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind = 'r' AND relname NOT IN ('pg_statistic', 'sql_implementation_info')`,
  );
  expect(rows.length).toBeGreaterThan(60);
  for (const { name } of rows)
    await same(`SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS content FROM ${name} t`);
});

test('a database from the archive has the settings of one by initdb', async () => {
  await same('SELECT name, setting FROM pg_settings ORDER BY name');
});
