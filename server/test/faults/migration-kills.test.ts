import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { processFolder, rows, untilReady } from '@session-launch/testing/fleet.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { runProgram } from '@session-launch/testing/process.ts';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { openEmbedded } from '../../src/store/embedded.ts';
import { readProgram } from '../../src/store/migrations/migrations.ts';
import { effort } from '../harness/effort.ts';
import { killPoints, runKilled } from '../harness/kill-at.ts';
import { oldDataFolder, readOldDump } from '../harness/old-database.ts';
import { seededRandom } from '../harness/random.ts';

const cleanup = useCleanup();
let folder: Awaited<ReturnType<typeof processFolder>>;
let migrations: number[];
beforeAll(async () => {
  folder = await processFolder(cleanup);
  migrations = (await readProgram()).migrations.map(({ version }) => version);
});

type Query = <Row extends object>(text: string) => Promise<Row[]>;

/** The migrations that a database records, its sessions, and whether it has the tables of the last release before this one. */
async function stateOf(query: Query) {
  const applied = await query<{ version: number }>('SELECT version FROM schema_migrations ORDER BY 1');
  const sessions = await query<{ id: string }>('SELECT id FROM sessions ORDER BY 1');
  const functions = await query<{ name: string }>(
    "SELECT proname AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
  );
  const columns = await query<{ name: string }>(
    "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1",
  );
  return {
    applied: applied.map(({ version }) => version),
    sessions: sessions.map(({ id }) => id),
    schema: [...functions, ...columns].map(({ name }) => name),
  };
}

type State = Awaited<ReturnType<typeof stateOf>>;

/** Expects the state before or after the upgrade, and nothing in between. */
function expectWhole(found: State, before: State, after: State, what: string): void {
  expect(found.sessions, what).toEqual(before.sessions);
  expect([before, after], what).toContainEqual(found);
}

describe('an upgrade from version 0.1.0 that is killed, and then repeated, is complete', () => {
  test('on PostgreSQL', async (context) => {
    const server = inject('postgresUrl');
    const create = async () => {
      const name = `old_${randomBytes(6).toString('hex')}`;
      await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
      cleanup(() => onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)));
      const url = server.replace(/\/postgres$/, `/${name}`);
      const dump = await readOldDump();
      await onDatabase(url, (client) => client.query(dump));
      return url;
    };
    const state = (url: string) => stateOf((text) => rows(url, text));
    const measured = await create();
    const before = await state(measured);
    const whole = await runKilled(['migrate'], { env: { DATABASE_URL: measured }, folder: folder.path });
    expect(whole.code, whole.stderr).toBe(0);
    const after = await state(measured);
    expect([before.sessions.length, after.applied]).toEqual([6, migrations]);

    const url = await create();
    const sent = whole.operations.filter((name) => name === '_writeGeneric');
    expect(sent.length).toBeGreaterThan(50);
    let unchanged = 0;
    // In their order, because an upgrade that was applied stays.
    const points = killPoints(sent, [], seededRandom(context), effort(8, 80)).sort((a, b) => a.nth - b.nth);
    for (const point of points) {
      const { code } = await runKilled(['migrate'], {
        env: { DATABASE_URL: url },
        folder: folder.path,
        point,
      });
      if ((await state(url)).applied.length === 1) unchanged++;
      // Once it has been applied, a further run sends fewer statements and may end before the point.
      else if (code !== null) continue;
      expectWhole(await state(url), before, after, JSON.stringify(point));
    }
    expect(unchanged).toBeGreaterThan(0);
    const again = await runProgram(['migrate'], { DATABASE_URL: url }, folder.path);
    expect(again.code, again.stderr).toBe(0);
    expect(await state(url)).toEqual(after);
  });

  test('on the embedded engine', async (context) => {
    const copy = async (from: string, name: string) => {
      const to = join(folder.path, name);
      await rm(to, { recursive: true, force: true });
      await mkdir(to, { mode: 0o700 });
      await promisify(execFile)('cp', ['-R', `${from}/.`, to]);
      return to;
    };
    const state = async (dataDir: string) => {
      const database = await openEmbedded(dataDir);
      try {
        return await stateOf(async <Row>(text: string) => (await database.client.query<Row>(text)).rows);
      } finally {
        await database.close();
      }
    };
    const old = await oldDataFolder(join(folder.path, 'old'));
    const before = await state(old);
    const env = (DATA_DIR: string) => ({
      DATA_DIR,
      PORT: '0',
      ADMIN_PORT: '0',
      RUNTIME: 'off',
      DEMO: 'off',
      LOG_LEVEL: 'info',
    });
    // The summary is printed after the upgrade.
    const whole = await runKilled(['serve'], {
      env: env(await copy(old, 'whole')),
      folder: folder.path,
      thread: 'engine',
      until: /Public/,
    });
    const after = await state(join(folder.path, 'whole'));
    expect([before.sessions.length, after.applied]).toEqual([6, migrations]);
    let unchanged = 0;
    for (const [i, point] of killPoints(
      whole.operations,
      [],
      seededRandom(context),
      effort(5, 60),
    ).entries()) {
      const dataDir = await copy(old, 'killed');
      const { code } = await runKilled(['serve'], {
        env: env(dataDir),
        folder: folder.path,
        thread: 'engine',
        point,
      });
      expect(code, JSON.stringify(point)).toBeNull();
      const found = await state(dataDir);
      if (found.applied.length === 1) unchanged++;
      expectWhole(found, before, after, JSON.stringify(point));
      if (i > 0) continue;
      const service = await folder.start({ DATA_DIR: dataDir });
      await untilReady(service);
      await service.kill('SIGTERM');
      expect((await state(dataDir)).applied).toEqual(migrations);
    }
    expect(unchanged).toBeGreaterThan(0);
  });
});
