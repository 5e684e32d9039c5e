import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { processFolder, untilReady } from '@session-launch/testing/fleet.ts';
import { type Finished, program, runProgram, type ServiceProcess } from '@session-launch/testing/process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { oldDataFolder } from '../harness/old-database.ts';
import { canMount, smallDisk } from '../harness/small-disk.ts';
import { tryStart } from '../harness/try-start.ts';

const cleanup = useCleanup();
let folder: Awaited<ReturnType<typeof processFolder>>;
let service: ServiceProcess;
let world: World;
const inFolder = (...names: string[]) => join(folder.path, ...names);

beforeAll(async () => {
  folder = await processFolder(cleanup);
  const dataDir = await prepareDataFolder(inFolder('data'));
  await writeFile(join(dataDir, 'admin-token'), `${adminToken}\n`, { mode: 0o600 });
  service = await folder.start({ DATA_DIR: dataDir });
  world = await createWorld(service);
});

const mint = () => mintFromServer(service, world.key, { experienceId: world.experienceId });

/** Runs a command while the service mints; each mint must succeed. */
async function whileMinting(command: () => Promise<Finished>): Promise<Finished> {
  const running = command();
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  do expect((await mint()).status).toBe(201);
  while (!isOver);
  return running;
}

/** Runs a command that may write files of a megabyte at most. */
async function withSizeLimit(args: string[], DATA_DIR: string): Promise<Finished> {
  const limited = ['-c', 'ulimit -f 2048; exec "$0" "$@"', process.execPath, program, ...args];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', DATA_DIR };
  return promisify(execFile)('sh', limited, { env, cwd: folder.path }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** The size of a folder, rounded up. */
async function usedMegabytes(path: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', path]);
  return Number.parseInt(stdout, 10);
}

const failure = (line: string) => ({ code: 1, stdout: '', stderr: `session-launch: ${line}\n` });

describe('with a limit of the file size', () => {
  test('a backup fails with the reason, leaves no file, and does not disturb the service', async () => {
    await mkdir(inFolder('limited'));
    const file = inFolder('limited', 'a.backup');
    const finished = await whileMinting(() => withSizeLimit(['backup', file], inFolder('data')));
    expect(finished).toEqual(
      failure(
        `cannot write to ${file} (EFBIG): a file is larger than this process may write; raise the limit (ulimit -f)`,
      ),
    );
    expect(await readdir(inFolder('limited'))).toEqual([]);
  });

  test('a restore fails with the reason and leaves no folder', async () => {
    const file = inFolder('whole.backup');
    expect((await runProgram(['backup', file], { DATA_DIR: inFolder('data') }, folder.path)).code).toBe(0);
    const target = inFolder('new', 'folder');
    expect(await withSizeLimit(['restore', file], target)).toEqual(
      failure(
        `cannot write to ${target} (EFBIG): a file is larger than this process may write; raise the limit (ulimit -f)`,
      ),
    );
    expect(await readdir(folder.path)).not.toContain('new');
  });
});

/** Needs the right to mount a disk of limited size. */
describe.skipIf(!canMount())('on a full disk', () => {
  const full = 'its disk is full; free space on it, or use another disk';
  /** Starts the service, which must exit with one line after its log. */
  async function expectFull(dataDir: string): Promise<void> {
    const { code, stdout, stderr } = await tryStart(dataDir, folder.path);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('{'));
    expect({ code, stdout, lines }).toEqual({
      code: 1,
      stdout: '',
      lines: [
        expect.stringMatching(/^session-launch: the .*(No space left|read-only).*; free space on its disk$/i),
        '',
      ],
    });
  }

  test('a backup fails with the reason and leaves no file; the service goes on, and a backup elsewhere works', async () => {
    const disk = smallDisk(inFolder('archives'), 1, cleanup);
    const file = join(disk.path, 'a.backup');
    const run = (path: string) => runProgram(['backup', path], { DATA_DIR: inFolder('data') }, folder.path);
    expect(await whileMinting(() => run(file))).toEqual(failure(`cannot write to ${file} (ENOSPC): ${full}`));
    expect(await readdir(disk.path)).toEqual([]);
    expect((await whileMinting(() => run(inFolder('whole.backup')))).code).toBe(0);
    disk.resize(200);
    expect((await run(file)).code).toBe(0);
    expect(await readdir(disk.path)).toEqual(['a.backup']);
  });

  test('a restore fails with the reason and leaves an empty folder; with more space it works', async () => {
    const disk = smallDisk(inFolder('target'), 8, cleanup);
    const run = () => runProgram(['restore', inFolder('whole.backup')], { DATA_DIR: disk.path }, folder.path);
    expect(await run()).toEqual(failure(`cannot write to ${disk.path} (ENOSPC): ${full}`));
    expect(await readdir(disk.path)).toEqual([]);
    disk.resize(200);
    expect((await run()).code).toBe(0);
    expect((await readdir(disk.path)).sort()).toEqual(['admin-token', 'database', 'signing-keys.json']);
  });

  test('a first start fails with the reason, and succeeds with more space', async () => {
    const disk = smallDisk(inFolder('first'), 8, cleanup);
    await expectFull(disk.path);
    disk.resize(300);
    const started = await folder.start({ DATA_DIR: disk.path });
    await untilReady(started);
    expect(await readdir(disk.path)).not.toContain('database.new');
    await started.kill('SIGTERM');
  });

  test('a start fails with the reason, and succeeds with more space', async () => {
    const disk = smallDisk(inFolder('full'), 300, cleanup);
    await prepareDataFolder(disk.path);
    disk.resize(await usedMegabytes(disk.path));
    await expectFull(disk.path);
    disk.resize(300);
    const started = await folder.start({ DATA_DIR: disk.path });
    await untilReady(started);
    await started.kill('SIGTERM');
  });

  test('an upgrade fails with the reason and changes nothing; with more space it succeeds', async () => {
    const disk = smallDisk(inFolder('upgraded'), 300, cleanup);
    await oldDataFolder(disk.path);
    await rm(join(disk.path, 'spare'));
    disk.resize(await usedMegabytes(disk.path));
    await expectFull(disk.path);
    disk.resize(300);
    const started = await folder.start({ DATA_DIR: disk.path });
    await untilReady(started);
    await started.kill('SIGTERM');
  });
});
