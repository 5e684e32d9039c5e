import { randomBytes } from 'node:crypto';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { runProgram, temporaryFolder } from '@session-launch/testing/process.ts';
import { expect, inject, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';

const cleanup = useCleanup();

test('migrate creates the tables of an empty PostgreSQL database, and changes nothing the second time', async () => {
  const server = inject('postgresUrl');
  const name = `migrated_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  cleanup(() => onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  const DATABASE_URL = server.replace(/\/postgres$/, `/${name}`);
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  const first = await runProgram(['migrate', '--json'], { DATABASE_URL }, path);
  expect(first.code, first.stderr).toBe(0);
  const { migrations, functions } = JSON.parse(first.stdout);
  expect(migrations).toEqual(expect.arrayContaining(['0001_schema', '0011_login_limits']));
  expect(functions).toContain('record_sessions');
  const tables = await onDatabase(DATABASE_URL, (client) =>
    client.query("SELECT to_regclass('public.sessions') IS NOT NULL AS exists"),
  );
  expect(tables.rows).toEqual([{ exists: true }]);
  expect(await runProgram(['migrate'], { DATABASE_URL }, path)).toEqual({
    code: 0,
    stdout: 'the database is up to date; nothing was changed\n',
    stderr: '',
  });
});

test('migrate without DATABASE_URL is wrong usage', async () => {
  const { path, remove } = await temporaryFolder();
  cleanup(remove);
  expect(await runCli(['migrate'], { cwd: path })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('DATABASE_URL is not set'),
  });
});
