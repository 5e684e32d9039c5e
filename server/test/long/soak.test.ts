import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { describe, expect, type OnTestFinishedHandler, test } from 'vitest';

const bench = fileURLToPath(new URL('../../../bench', import.meta.url));

/** Concurrent tests need the `onTestFinished` of their own context. */
type Finished = (handler: OnTestFinishedHandler) => void;

interface Soak {
  child: ChildProcess;
  folder: string;
  /** Standard error output so far. */
  said(): string;
  ended: Promise<{ code: number | null; stdout: string }>;
}

/** Starts a soak run with its own temporary folder, which must be empty again in the end. */
async function startSoak(onTestFinished: Finished, ...args: string[]): Promise<Soak> {
  const { path, remove } = await temporaryFolder();
  // When the tests run as root, PostgreSQL runs as another account and needs access.
  await chmod(path, 0o755);
  const child = spawn(process.execPath, ['--import', 'tsx', 'soak.ts', ...args], {
    cwd: bench,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, stdout }));
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    await remove();
  });
  return { child, folder: path, said: () => stderr, ended };
}

/** The values of an engine in the first table of a report, by column heading. */
function figures(report: string): Record<string, string> {
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  const [head = '', , row = ''] = report.split('\n').filter((line) => line.startsWith('|'));
  return Object.fromEntries(cells(head).map((name, i) => [name, cells(row)[i] ?? '']));
}

const progress = (soak: Soak) => expect.poll(soak.said, { timeout: 90_000, interval: 100 });
const serviceOf = (soak: Soak) => Number(/, process (\d+)/.exec(soak.said())?.[1]);

async function expectNothingLeft(soak: Soak): Promise<void> {
  expect(() => process.kill(serviceOf(soak), 0)).toThrow('ESRCH');
  expect((await readdir(soak.folder)).filter((name) => name.startsWith('session-launch'))).toEqual([]);
}

describe.concurrent('a soak', { timeout: 120_000 }, () => {
  test('of some seconds uses every route, finds every launch, and writes the printed report', async ({
    onTestFinished,
  }) => {
    const { path, remove } = await temporaryFolder();
    onTestFinished(remove);
    const out = join(path, 'report.md');
    const soak = await startSoak(onTestFinished, '--minutes', '0.05', '--connections', '4', '--out', out);
    const { code, stdout } = await soak.ended;
    expect(code, soak.said() + stdout).toBe(0);
    const { Engine, 'Unexpected answers': unexpected, ...found } = figures(stdout);
    expect({ Engine, unexpected }).toEqual({ Engine: 'postgres', unexpected: '0' });
    expect(Number(found['LaunchRecorder acknowledged'])).toBeGreaterThan(10);
    expect(found['LaunchRecorder stored']).toBe(found['LaunchRecorder acknowledged']);
    const kinds = ['server mint', 'public mint', 'session read', 'catalog', 'bad request', 'publish'];
    for (const kind of kinds)
      expect(stdout).toMatch(new RegExp(`^\\| postgres \\| ${kind} \\| \\d+ \\|`, 'm'));
    expect(await readFile(out, 'utf8')).toBe(stdout);
    await expectNothingLeft(soak);
  });

  test('that is interrupted exits cleanly, with the report of the run until then', async ({
    onTestFinished,
  }) => {
    const soak = await startSoak(onTestFinished, '--minutes', '2', '--engine', 'embedded');
    await progress(soak).toMatch(/embedded 0:\d\d of 2:00: [1-9]/);
    soak.child.kill('SIGINT');
    const { code, stdout } = await soak.ended;
    expect(code, soak.said() + stdout).toBe(0);
    const found = figures(stdout);
    expect(Number(found.Requests)).toBeGreaterThan(0);
    expect(found['LaunchRecorder stored']).toBe(found['LaunchRecorder acknowledged']);
    await expectNothingLeft(soak);
  });

  test('whose service dies reports it, and exits with 1', async ({ onTestFinished }) => {
    const soak = await startSoak(onTestFinished, '--minutes', '2');
    await progress(soak).toMatch(/postgres 0:\d\d of 2:00: [1-9]/);
    process.kill(serviceOf(soak), 'SIGKILL');
    const { code, stdout } = await soak.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^\| postgres \| .*no answer.* \| \d+ \|$/m);
    await expectNothingLeft(soak);
  });

  test('with an invalid option names it, and exits with 2', async ({ onTestFinished }) => {
    const soak = await startSoak(onTestFinished, '--minutes', 'many');
    expect(await soak.ended).toEqual({ code: 2, stdout: '' });
    expect(soak.said()).toMatch(/^soak: --minutes is a number/);
  });
});
