import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { cpuSeconds, ofTrees, parsePs, parseStat, residentBytes } from '../processes.ts';

const running: ReturnType<typeof spawn>[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});

/** Starts a program that prints `ready` after using its CPU time and then idles. */
async function start(code: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  await once(child.stdout!, 'data');
  return child.pid as number;
}

/** Code that uses this many milliseconds of CPU time, independent of wall time. */
const burn = (ms: number) =>
  `const from = process.cpuUsage(); const used = () => { const { user, system } = process.cpuUsage(from); return user + system; };
   while (used() < ${ms}000);`;
const ready = `process.stdout.write('ready'); process.stdin.resume();`;

describe('CPU time of processes', () => {
  const nested = JSON.stringify(burn(200));
  it.each([
    ['of the process itself', burn(200) + ready],
    [
      'of a thread',
      `new (require('node:worker_threads').Worker)(${nested}, { eval: true }).once('exit', () => { ${ready} });`,
    ],
    // On macOS, `ps` does not guarantee it.
    ...(process.platform === 'linux'
      ? [
          [
            'of a child that has ended',
            `require('node:child_process').spawnSync(process.execPath, ['-e', ${nested}]); ${ready}`,
          ],
        ]
      : []),
    [
      'of a running child',
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(burn(200) + ready)}])
         .stdout.once('data', () => { ${ready} });`,
    ],
  ])('counts the time %s', async (_, code) => {
    // The system truncates each value to hundredths of a second.
    expect(await cpuSeconds([await start(code)])).toBeGreaterThan(0.17);
  });

  it('adds up several process trees, and is NaN for a process that has exited', async () => {
    const [one, two] = [await start(burn(200) + ready), await start(burn(200) + ready)];
    expect(await cpuSeconds([one, two])).toBeGreaterThan((await cpuSeconds([one])) + 0.15);
    running[1]!.kill('SIGKILL');
    await once(running[1]!, 'exit');
    expect(await cpuSeconds([one, two])).toBeNaN();
  });

  it('finds children whose id is lower than that of their parent', () => {
    const table = [
      { pid: 5, parent: 7, seconds: 1 },
      { pid: 6, parent: 1, seconds: 2 },
      { pid: 7, parent: 9, seconds: 4 },
      { pid: 9, parent: 1, seconds: 8 },
    ];
    expect(ofTrees(table, [9])).toBe(13);
    expect(ofTrees(table, [9, 7])).toBe(13);
    expect(ofTrees(table, [6, 9])).toBe(15);
  });

  it('parses /proc/PID/stat for any program name', () => {
    const stat =
      '42 (a ) R 7 (x) S 17 42 42 0 -1 4194304 85 0 0 0 150 25 1000 200 20 0 11 0 59686 2867200 287';
    expect(parseStat(stat)).toEqual({ pid: 42, parent: 17, seconds: 13.75 });
  });

  it('parses the output of ps on macOS and on Linux', () => {
    const seconds = parsePs('    1     0   0:01.50\n  312     1 125:03.25\n 9001   312 1-02:00:30\n').map(
      (line) => line.seconds,
    );
    expect(seconds).toEqual([1.5, 7503.25, 93_630]);
    expect(parsePs(' 9001   312 00:00:30\n')).toEqual([{ pid: 9001, parent: 312, seconds: 30 }]);
  });
});

it('reads the resident memory of a process', async () => {
  const megabytes = (await residentBytes(process.pid)) / 2 ** 20;
  expect(megabytes).toBeGreaterThan(20);
  expect(megabytes).toBeLessThan(process.memoryUsage().rss / 2 ** 20 + 500);
});
