import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Load, Measured } from './load.ts';

const tsx = createRequire(import.meta.url).resolve('tsx');
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const service = here('../server/bin/session-launch.js');
export const adminToken = 'an-admin-token-for-benchmarks';

/** A process under test. */
export interface Contestant {
  url: string;
  adminUrl: string;
  pid: number;
  startMs: number;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** One of the programs beside ours; it prints its address when it listens. */
export function startProgram(file: string, env: Record<string, string>): Promise<Contestant> {
  return start([...['--import', tsx], here(file)], env, /^(http\S+)\n/);
}

/**
 * Ours, as an operator starts it: default log level, its log written and thrown away. `detached` puts it into a process
 * group of its own, which a Ctrl-C in the terminal does not reach.
 */
export function startService(
  env: Record<string, string>,
  nodeFlags: string[] = [],
  detached = false,
): Promise<Contestant> {
  const settings = {
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_TOKEN: adminToken,
    DEMO: 'off',
    NO_COLOR: '1',
    ...env,
  };
  const ready = /Public\s+(http\S+)[\s\S]*?Admin\s+(http\S+)/;
  return start([...nodeFlags, service, 'serve'], settings, ready, detached);
}

async function start(
  args: string[],
  env: Record<string, string>,
  ready: RegExp,
  detached = false,
): Promise<Contestant> {
  const began = performance.now();
  const log = openSync(devNull, 'w');
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', log],
    detached,
  });
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output);
      if (match) resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${args.at(-1)} ended with ${code}`)));
  });
  return {
    url: found[1] as string,
    adminUrl: found[2] ?? '',
    pid: child.pid as number,
    startMs: performance.now() - began,
    residentBytes: () => residentBytes(child),
    stop: () => stop(child),
  };
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

async function residentBytes(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
}

/** Load from a process of its own. */
export function measure(load: Load): Promise<Measured> {
  const program = here(load.rate === undefined ? 'load.ts' : 'steady.ts');
  const child = spawn(process.execPath, ['--import', tsx, program, JSON.stringify(load)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(output) as Measured);
      else reject(new Error(`the load ended with ${code}`));
    });
  });
}
