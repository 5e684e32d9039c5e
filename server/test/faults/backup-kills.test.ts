import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder, untilAvailable } from '@session-launch/testing/fleet.ts';
import { runProgram, type ServiceProcess } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { effort } from '../harness/effort.ts';
import { killPoints, runKilled } from '../harness/kill-at.ts';
import { seededRandom } from '../harness/random.ts';
import { tryStart } from '../harness/try-start.ts';

const cleanup = useCleanup();
let folder: Awaited<ReturnType<typeof processFolder>>;
let service: ServiceProcess;
let world: World;
const acknowledged = new Map<string, string>();
const inFolder = (...names: string[]) => join(folder.path, ...names);
/** The names in a folder without the lock, which a killed process leaves behind. */
const entries = async (...names: string[]): Promise<string[]> =>
  (await readdir(inFolder(...names))).filter((name) => name !== 'lock').sort();

beforeAll(async () => {
  folder = await processFolder(cleanup);
  const dataDir = await prepareDataFolder(inFolder('data'));
  await writeFile(join(dataDir, 'admin-token'), `${adminToken}\n`, { mode: 0o600 });
  service = await folder.start({ DATA_DIR: dataDir });
  world = await createWorld(service);
  await mkdir(inFolder('archive'));
});

const mint = (to: ServiceProcess, key: string) =>
  untilAvailable(() =>
    to.call({
      method: 'POST',
      path: '/v1/sessions',
      headers: { Authorization: `Bearer ${world.key}`, 'Idempotency-Key': key },
      body: { experienceId: world.experienceId },
    }),
  );

async function mintNew(): Promise<void> {
  const key = crypto.randomUUID();
  const { status, text } = await mint(service, key);
  expect(status, text).toBe(201);
  acknowledged.set(key, JSON.parse(text).session.sessionId);
}

const restore = (file: string, dataDir: string) =>
  runCli(['restore', inFolder(file)], { cwd: folder.path, env: { DATA_DIR: inFolder(dataDir) } });

describe('a backup that is killed', () => {
  const backup = (name: string) => ['backup', inFolder('archive', name)];
  const env = () => ({ DATA_DIR: inFolder('data') });

  test('leaves no incomplete file under its name; the service goes on, and the next backup removes its draft', async (context) => {
    await mintNew();
    const whole = await runKilled(backup('0'), { env: env(), folder: folder.path });
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    const points = killPoints(whole.operations, ['rename'], seededRandom(context), effort(4, 40));
    const drafts: string[][] = [];
    for (const [i, point] of points.entries()) {
      const { code } = await runKilled(backup(String(i + 1)), { env: env(), folder: folder.path, point });
      expect(code, JSON.stringify(point)).toBeNull();
      await mintNew();
      drafts.push((await entries('archive')).filter((name) => name.endsWith('.partial')));
    }
    // Some were killed in the middle, and their drafts do not pile up.
    expect(drafts.flat().length).toBeGreaterThan(0);
    expect(Math.max(...drafts.map(({ length }) => length))).toBe(1);

    const { code, stderr } = await runProgram(backup('last'), env(), folder.path);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const found = await entries('archive');
    expect(found.filter((name) => !/^(\d+|last)$/.test(name))).toEqual([]);
    for (const name of found) {
      expect((await restore(`archive/${name}`, `of-${name}`)).code, name).toBe(0);
    }
  });

  test('keeps the file that it would have replaced', async (context) => {
    const before = await readFile(inFolder('archive', 'last'));
    const { operations } = await runKilled(backup('other'), { env: env(), folder: folder.path });
    const random = seededRandom(context);
    for (const point of killPoints(operations, [], random, effort(2, 10))) {
      expect((await runKilled(backup('last'), { env: env(), folder: folder.path, point })).code).toBeNull();
      const after = await readFile(inFolder('archive', 'last'));
      // After its rename, the killed backup was complete.
      if (!after.equals(before))
        expect((await restore('archive/last', `replaced-${point.nth}`)).code).toBe(0);
    }
  });
});

describe('a restore that is killed', () => {
  let operations: string[];
  const run = (name: string, point?: Parameters<typeof runKilled>[1]['point']) =>
    runKilled(['restore', inFolder('archive', 'whole')], {
      env: { DATA_DIR: inFolder(name) },
      folder: folder.path,
      point,
    });
  const serve = (name: string) => tryStart(inFolder(name), folder.path);

  beforeAll(async () => {
    const { code, stderr } = await runProgram(
      ['backup', inFolder('archive', 'whole')],
      { DATA_DIR: inFolder('data') },
      folder.path,
    );
    expect(code, stderr).toBe(0);
    const whole = await run('restored');
    expect(whole.code, whole.stderr).toBe(0);
    operations = whole.operations;
  });

  test('leaves a folder that does not start and can be restored again, or a complete one', async (context) => {
    const complete = await entries('restored');
    expect(complete).toEqual(['admin-token', 'database', 'signing-keys.json']);
    const points = killPoints(operations, ['rename'], seededRandom(context), effort(4, 40));
    let interrupted = 0;
    for (const [i, point] of points.entries()) {
      const name = `killed-${i}`;
      expect((await run(name, point)).code, JSON.stringify(point)).toBeNull();
      const left = await entries(name).catch(() => [] as string[]);
      if (left.includes('database')) {
        expect(left).toEqual(expect.arrayContaining(complete));
        expect((await restore('archive/whole', name)).stderr).toContain(
          'is not empty (admin-token, database,',
        );
        continue;
      }
      if (left.includes('restore.new')) {
        interrupted++;
        if (interrupted <= effort(3, 40)) {
          expect(await serve(name)).toEqual({
            code: 1,
            stdout: '',
            stderr: `session-launch: a restore into the data folder ${inFolder(name)} was interrupted; run session-launch restore again\n`,
          });
        }
      }
      const again = await restore('archive/whole', name);
      expect(again.stderr, JSON.stringify(point)).toBe('');
      expect(await entries(name)).toEqual(complete);
    }
    expect(interrupted).toBeGreaterThan(3);
  });

  test('is repeated with a kill at the same point, and then restores everything', async (context) => {
    const random = seededRandom(context);
    const renames = killPoints(operations, ['rename'], random, 0).filter(({ nth }) => nth < 2);
    for (const point of renames) expect((await run('twice', point)).code).toBeNull();
    expect((await restore('archive/whole', 'twice')).stderr).toBe('');
    expect(await entries('twice')).toEqual(await entries('restored'));
  });

  test('does not remove files of others from the folder', async () => {
    const point = { operation: 'rename', nth: 1, isAfter: true };
    expect((await run('shared', point)).code).toBeNull();
    await copyFile(inFolder('archive', 'whole'), inFolder('shared', 'copy.backup'));
    const before = await entries('shared');
    expect((await restore('archive/whole', 'shared')).stderr).toContain('is not empty (copy.backup)');
    expect(await entries('shared')).toEqual(before);
    expect((await serve('shared')).stderr).toContain('was interrupted');
  });

  test('after its last move is complete: the service starts, removes the draft, and has every acknowledged session', async () => {
    const point = {
      operation: 'rename',
      nth: operations.filter((name) => name === 'rename').length - 1,
      isAfter: true,
    };
    expect((await run('moved', point)).code).toBeNull();
    expect(await entries('moved')).toContain('restore.new');
    const restored = await folder.start({ DATA_DIR: inFolder('moved') });
    expect(await entries('moved')).not.toContain('restore.new');
    for (const [key, id] of acknowledged) {
      const { status, json } = await mint(restored, key);
      expect([status, json.session?.sessionId]).toEqual([201, id]);
    }
  });
});
