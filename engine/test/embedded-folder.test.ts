import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, openEngine } from '../src/index.ts';

let dataDir: string;
let engine: Engine;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'session-launch-folder-'));
  await prepareDataFolder(dataDir);
  // The mode of a folder created by a volume or an operator.
  await chmod(dataDir, 0o755);
  engine = await openEngine(dataDir);
}, 180_000);
afterAll(async () => {
  await engine.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** All files in the folder except the lock, which is a socket. */
async function kept(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function openToOthers(): Promise<string[]> {
  const paths = await kept();
  expect(paths.length).toBeGreaterThan(300);
  const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode));
  return paths.filter((_, i) => (modes[i]! & 0o077) !== 0);
}

test('only the owner can read or write the engine’s files', async () => {
  await engine.client.query('CREATE TABLE later (n integer)');
  expect(await openToOthers()).toEqual([]);
});

test('a folder that others can access is restricted at the next start', async () => {
  await engine.close();
  for (const path of await kept()) {
    if (!path.endsWith('spare')) await chmod(path, (await stat(path)).isDirectory() ? 0o755 : 0o666);
  }
  engine = await openEngine(dataDir);
  expect(await openToOthers()).toEqual([]);
});

test('commits are synced before they are acknowledged, and torn pages are repaired', async () => {
  const { rows } = await engine.client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') ORDER BY 1`,
  );
  expect(rows).toEqual([
    { name: 'fsync', setting: 'on' },
    { name: 'full_page_writes', setting: 'on' },
    { name: 'synchronous_commit', setting: 'on' },
  ]);
});

test('the engine has one database, whose transaction age is that of the cluster', async () => {
  const { rows } = await engine.client.query('SELECT datname FROM pg_database');
  expect(rows).toEqual([{ datname: 'postgres' }]);
});
