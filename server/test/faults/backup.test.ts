import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sessionTokenVerifier } from '@session-launch/backend/verify';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder, until } from '@session-launch/testing/fleet.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { atPort, logLines, type ServiceProcess } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesOf } from '../../../engine/src/backup-requests.ts';
import { connectToOwner } from '../../../engine/src/folder-lock.ts';
import { runCli } from '../cli/run-cli.ts';

const cleanup = useCleanup();
let folder: Awaited<ReturnType<typeof processFolder>>;
let service: ServiceProcess;
let world: World;
const inFolder = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await processFolder(cleanup);
  const dataDir = await prepareDataFolder(inFolder('data'));
  await writeFile(join(dataDir, 'admin-token'), `${adminToken}\n`, { mode: 0o600 });
  service = await folder.start({ DATA_DIR: dataDir });
  world = await createWorld(service);
});

/** Runs a command with a data folder of this test. */
const cli = (args: string[], dataDir: string, more: Record<string, string> = {}) =>
  runCli(args, { cwd: folder.path, env: { DATA_DIR: inFolder(dataDir), ...more } });

/** Runs a command that must fail with one line. */
async function refused(args: string[], dataDir: string, more?: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await cli(args, dataDir, more);
  expect({ code, stdout }, stderr).toEqual({ code: more === undefined ? 1 : 2, stdout: '' });
  expect(stderr).toMatch(/^session-launch: [^\n]+\n$/);
  return stderr;
}

const names = async (name: string) => (await readdir(inFolder(name))).sort();
/** All files of a folder with size and time of change. */
async function state(name: string): Promise<string[]> {
  const entries = await readdir(inFolder(name), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const stats = await Promise.all(files.map((path) => stat(path)));
  return files.map((path, at) => `${path} ${stats[at]!.size} ${stats[at]!.mtimeMs}`).sort();
}

interface Minted {
  key: string;
  text: string;
}

const mint = (to: ServiceProcess, key: string) =>
  to.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${world.key}`, 'Idempotency-Key': key },
    body: { experienceId: world.experienceId },
  });

/** Mints with 16 clients until it is stopped; `acknowledged` grows. */
function mintAtSpeed() {
  const acknowledged: Minted[] = [];
  let isOver = false;
  const clients = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const key = crypto.randomUUID();
      const { status, text } = await mint(service, key);
      expect(status, text).toBe(201);
      acknowledged.push({ key, text });
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(clients);
  };
  return { acknowledged, stop };
}

/** Mints again with the same keys, with 16 clients. A busy machine may refuse some requests; they are repeated. */
async function replays(to: ServiceProcess, minted: readonly Minted[]): Promise<Minted[]> {
  const keys = minted.map(({ key }) => key);
  const texts = new Map<string, string>();
  const clients = Array.from({ length: 16 }, async () => {
    for (let key = keys.pop(); key !== undefined; key = keys.pop()) {
      const answer = await until('a replay', async () => {
        const found = await mint(to, key);
        return found.status !== 503 && found;
      });
      texts.set(key, answer.text);
    }
  });
  await Promise.all(clients);
  return minted.map(({ key }) => ({ key, text: texts.get(key)! }));
}

/** Holds back checkpoints like a backup that is being copied. */
async function holdLikeABackup() {
  const socket = (await connectToOwner(inFolder('data')))!;
  socket.on('error', () => {});
  const lines = linesOf(socket);
  socket.write('backup\n');
  expect(await lines()).toBe('ready');
  return { socket, lines };
}

describe('a backup made while sessions are created', () => {
  let before: Minted[];

  test('is written without a failed mint', async () => {
    const load = mintAtSpeed();
    await until('300 launches', async () => load.acknowledged.length > 300);
    before = [...load.acknowledged];
    const { code, stdout, stderr } = await cli(['backup', 'a.backup', '--json'], 'data');
    const during = load.acknowledged.length - before.length;
    await load.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(during).toBeGreaterThan(0);
    expect(JSON.parse(stdout)).toEqual({
      file: inFolder('a.backup'),
      bytes: (await stat(inFolder('a.backup'))).size,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      contains: ['database', 'signing-keys.json', 'admin-token'],
    });
  });

  test('is readable by its owner only, and leaves no other file', async () => {
    expect((await stat(inFolder('a.backup'))).mode & 0o777).toBe(0o600);
    expect(await names('.')).toEqual(['a.backup', 'data']);
  });

  test('restores every session acknowledged before it began, with the same tokens', async () => {
    const { code, stdout, stderr } = await cli(['restore', 'a.backup', '--json'], 'restored');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ contains: ['database', 'signing-keys.json', 'admin-token'] });
    expect(await names('restored')).toEqual(['admin-token', 'database', 'signing-keys.json']);
    expect(await readFile(inFolder('restored/admin-token'), 'utf8')).toBe(`${adminToken}\n`);
    const port = await freePort();
    const env = { DATA_DIR: inFolder('restored'), PUBLIC_URL: service.url, PORT: String(port) };
    const restored = atPort(await folder.start(env), port);
    // A replay contains the same bytes only if the session and the signing keys are the same.
    expect(await replays(restored, before)).toEqual(before);
    const verify = sessionTokenVerifier({
      issuer: service.url,
      jwksUrl: `${restored.url}/.well-known/jwks.json`,
    });
    const { session, launch } = JSON.parse(before.at(-1)!.text);
    expect(await verify(launch.sessionToken)).toMatchObject({ sub: session.sessionId });
    const doctor = await cli(['doctor', '--json'], 'restored', {
      ADMIN_URL: restored.adminUrl,
      ADMIN_TOKEN: adminToken,
      RUNTIME: 'off',
    });
    const { findings } = JSON.parse(doctor.stdout);
    expect(findings.filter(({ status }: { status: string }) => status !== 'ok')).toEqual([]);
    expect(logLines(restored)).toEqual([]);
    await restored.kill('SIGTERM');
  });

  test('of a stopped service contains the same files', async () => {
    const { code, stdout } = await cli(['backup', 'stopped.backup'], 'restored');
    expect([code, stdout]).toEqual([0, expect.stringContaining('contains database, signing-keys.json')]);
    expect((await cli(['restore', 'stopped.backup'], 'again')).code).toBe(0);
    const relative = (lines: string[], name: string) =>
      lines
        .map((line) => line.slice(inFolder(name).length).replace(/ [^ ]+$/, ''))
        .filter((line) => !/^\/(spare|lock)/.test(line));
    expect(relative(await state('again'), 'again')).toEqual(relative(await state('restored'), 'restored'));
  });
});

test('a backup contains signing keys anywhere in the data folder, and names those outside it', async () => {
  const keys = await readFile(join(inFolder('restored'), 'signing-keys.json'), 'utf8');
  const [nested, outside] = [inFolder('restored/my keys/Schlüssel 1.json'), inFolder('outside.json')];
  await mkdir(dirname(nested));
  for (const path of [nested, outside]) await writeFile(path, keys);
  const within = await cli(['backup', 'keys.backup'], 'restored', { SIGNING_KEYS_FILE: nested });
  expect([within.code, within.stderr]).toEqual([0, '']);
  expect((await cli(['restore', 'keys.backup'], 'with-keys')).code).toBe(0);
  expect(await readFile(inFolder('with-keys/my keys/Schlüssel 1.json'), 'utf8')).toBe(keys);
  const without = await cli(['backup', 'keys.backup', '--json'], 'restored', { SIGNING_KEYS_FILE: outside });
  expect(without.code).toBe(0);
  expect(without.stderr).toContain('outside.json is outside DATA_DIR and not in the backup');
  expect(JSON.parse(without.stdout)).toMatchObject({ contains: ['database', 'admin-token'] });
  await rm(dirname(nested), { recursive: true });
});

describe('a restore is refused, and changes nothing,', () => {
  test('in a folder that is in use', async () => {
    expect(await refused(['restore', 'a.backup'], 'data')).toContain('another process already uses');
  });

  test('in a folder with data', async () => {
    const unchanged = await state('restored');
    expect(await refused(['restore', 'a.backup'], 'restored')).toContain(
      'is not empty (admin-token, database,',
    );
    expect(await state('restored')).toEqual(unchanged);
  });

  test.each([
    ['in the middle', (bytes: number) => Math.floor(bytes / 2)],
    ['in the last byte', (bytes: number) => bytes - 1],
    ['in the first entry', () => 20],
  ])('of a file that is cut %s', async (_, length) => {
    await copyFile(inFolder('a.backup'), inFolder('cut.backup'));
    await truncate(inFolder('cut.backup'), length((await stat(inFolder('a.backup'))).size));
    expect(await refused(['restore', 'cut.backup'], 'new/data')).toContain('is damaged or incomplete');
    expect(await names('.')).not.toContain('new');
    await mkdir(inFolder('empty'), { recursive: true });
    expect(await refused(['restore', 'cut.backup'], 'empty')).toContain('is damaged or incomplete');
    expect(await names('empty')).toEqual([]);
  });

  test('of a file with a changed byte', async () => {
    const bytes = await readFile(inFolder('a.backup'));
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = bytes[middle]! ^ 0xff;
    await writeFile(inFolder('changed.backup'), bytes);
    expect(await refused(['restore', 'changed.backup'], 'empty')).toMatch(/damaged|not a backup/);
    expect(await names('empty')).toEqual([]);
  });

  test.each([
    ['text', Buffer.from('hello\n')],
    ['an empty file', Buffer.alloc(0)],
    ['another compressed file', gzipSync(Buffer.alloc(2000, 'x'))],
  ])('of %s', async (_, content) => {
    await writeFile(inFolder('foreign'), content);
    expect(await refused(['restore', 'foreign'], 'empty')).toMatch(/is not a backup made by|damaged/);
    expect(await names('empty')).toEqual([]);
  });

  test('of a file that does not exist', async () => {
    expect(await refused(['restore', 'nowhere'], 'empty')).toContain('nowhere does not exist');
  });
});

describe('a backup is refused', () => {
  test('while another one is copied, and possible once that one is gone', async () => {
    const other = await holdLikeABackup();
    const before = await names('.');
    expect(await refused(['backup', 'b.backup'], 'data')).toContain('another backup is running');
    expect(await names('.')).toEqual(before);
    other.socket.destroy();
    await until(
      'the end of the other backup',
      async () => (await cli(['backup', 'b.backup'], 'data')).code === 0,
    );
  });

  test('of a folder without a database', async () => {
    expect(await refused(['backup', 'c.backup'], 'empty')).toContain('holds no database');
  });

  test('into a folder that does not exist', async () => {
    expect(await refused(['backup', 'none/c.backup'], 'data')).toMatch(
      /cannot write to \S+c\.backup \(ENOENT\)/,
    );
  });

  test('with PostgreSQL', async () => {
    const postgres = { DATABASE_URL: 'postgres://127.0.0.1/none' };
    for (const command of ['backup', 'restore']) {
      expect(await refused([command, 'c.backup'], 'data', postgres)).toContain('pg_dump and pg_restore');
    }
  });
});

test('a backup whose service stops during the copy fails', async () => {
  const { socket, lines } = await holdLikeABackup();
  await service.kill('SIGTERM');
  socket.write('copied\n');
  expect(await lines()).toBeUndefined();
});
