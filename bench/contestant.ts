import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Load, Measured } from './load.ts';
import { residentBytes } from './processes.ts';

const tsx = createRequire(import.meta.url).resolve('tsx');
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const ownProgram = here('../server/bin/session-launch.js');
export const adminToken = 'an-admin-token-for-benchmarks';
export const runtimeToken = 'a-runtime-token-for-benchmarks';

/** A process under test. */
export interface Contestant {
  url: string;
  adminUrl: string;
  pid: number;
  startMs: number;
  residentBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts an alternative program; it prints its URL when it listens. */
export function startProgram(file: string, env: Record<string, string>): Promise<Contestant> {
  return start(['--import', tsx, here(file)], env, /^(http\S+)\n/);
}

export interface ServiceOptions {
  /** Path of another build's program; absent: this build's. */
  program?: string;
  /** Additional environment variables. */
  env?: Record<string, string>;
  /** Starts a separate process group, so that Ctrl-C in the terminal does not signal it. */
  detached?: boolean;
}

/** Starts our service as an operator does: default log level, log output written and discarded. */
export function startService(
  env: Record<string, string>,
  { program = ownProgram, detached = false }: ServiceOptions = {},
): Promise<Contestant> {
  const settings = {
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_TOKEN: adminToken,
    RUNTIME_TOKEN: runtimeToken,
    DEMO: 'off',
    NO_COLOR: '1',
    ...env,
  };
  const ready = /Public\s+(http\S+)[\s\S]*?Admin\s+(http\S+)/;
  return start([program, 'serve'], settings, ready, detached);
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
  closeSync(log);
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const match = ready.exec(output);
      if (match) resolve(match);
    });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  const pid = child.pid as number;
  return {
    url: found[1] as string,
    adminUrl: found[2] ?? '',
    pid,
    startMs: performance.now() - began,
    residentBytes: () => residentBytes(pid),
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

/** Generates load from a separate process. */
export function measure(load: Load, signal?: AbortSignal): Promise<Measured> {
  const program = here(load.rate === undefined ? 'load.ts' : 'steady.ts');
  const child = spawn(process.execPath, ['--import', tsx, program, JSON.stringify(load)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(signal === undefined ? {} : { signal }),
  });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(output) as Measured);
      else reject(new Error(`the load ended with ${code}`));
    });
  });
}
