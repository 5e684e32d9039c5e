import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, printed, program, startNode } from '@session-launch/testing/process.ts';
import type { Random } from './random.ts';

const preload = fileURLToPath(new URL('./kill-at.cjs', import.meta.url));

/** See kill-at.cjs. */
export interface Point {
  operation: string;
  nth: number;
  isAfter: boolean;
}

/** Runs a command that SIGKILL ends at a point; without a point it runs to its end. Returns its operations, too. */
export async function runKilled(
  args: string[],
  { env = {}, folder, thread = 'main', point, until }: KilledRun,
): Promise<Finished & { operations: string[] }> {
  const [control, log] = [join(folder, 'kill.json'), join(folder, 'kill.log')];
  await writeFile(log, '');
  await writeFile(control, JSON.stringify({ log, thread, point }));
  const started = startNode([program, ...args], {
    env: { ...env, NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, KILL_AT: control },
    cwd: folder,
  });
  if (until !== undefined) {
    await printed(started, until);
    started.child.kill('SIGKILL');
  }
  const finished = { code: await started.closed, ...started.output };
  const operations = (await readFile(log, 'utf8')).trimEnd().split('\n');
  for (const file of [control, log]) await rm(file);
  return { ...finished, operations };
}

interface KilledRun {
  env?: Record<string, string>;
  /** The working folder of the command. */
  folder: string;
  /** Whose operations count: the main thread, or the thread of the embedded engine. */
  thread?: 'main' | 'engine';
  point?: Point | undefined;
  /** Also kills it when its output matches. */
  until?: RegExp;
}

/**
 * Returns points of a recorded run in random order: some that are spread over its whole duration, and each operation of the kinds in
 * `delicate`, during and after it.
 */
export function killPoints(
  operations: string[],
  delicate: string[],
  random: Random,
  spread: number,
): Point[] {
  const counts = new Map<string, number>();
  const all = operations.map((operation) => {
    const nth = counts.get(operation) ?? 0;
    counts.set(operation, nth + 1);
    return { operation, nth };
  });
  const step = all.length / spread;
  const points = Array.from({ length: spread }, (_, i) => ({
    ...all[Math.floor((i + random()) * step)]!,
    isAfter: random() < 0.5,
  }));
  for (const one of all) {
    if (!delicate.includes(one.operation)) continue;
    points.push({ ...one, isAfter: false }, { ...one, isAfter: true });
  }
  return points.sort(() => random() - 0.5);
}
