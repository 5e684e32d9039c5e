import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Answer, type Call, send } from './http.ts';
import { adminToken, runtimeToken } from './target.ts';

export const program = fileURLToPath(new URL('./built.js', import.meta.url));

/**
 * Disables V8's optimising compilers: most test processes run for seconds. Reduces the CPU time of a start by 25 % with PostgreSQL and by
 * 40 % with the embedded engine.
 */
export const shortLived = ['--no-opt', '--liftoff-only'];

/** A service that runs as a child process, started from the command line. */
export interface ServiceProcess {
  url: string;
  adminUrl: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** The raw log stream, for tests of slow or broken log readers. `null` if stderr goes to a file. */
  log: Readable | null;
  call(call: Call): Promise<Answer>;
  admin(call: Call): Promise<Answer>;
  runtime(call: Call): Promise<Answer>;
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a child process: of the inherited variables only PATH and HOME, which Node needs. */
function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env };
}

/**
 * `descriptors` is the limit of open file descriptors; `stderr` is a descriptor for the log, which is otherwise read here; `from` is the
 * program to run instead of the one in this checkout.
 */
export async function startProcess(
  env: Record<string, string>,
  cwd?: string,
  descriptors?: number,
  stderr: 'pipe' | number = 'pipe',
  from = program,
): Promise<ServiceProcess> {
  const serve = [process.execPath, ...shortLived, from, 'serve'];
  const [command = '', ...args] =
    descriptors === undefined ? serve : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...serve];
  const child = spawn(command, args, {
    env: environment({
      PORT: '0',
      ADMIN_PORT: '0',
      ADMIN_TOKEN: adminToken,
      RUNTIME_TOKEN: runtimeToken,
      // Off by default to save a process; tests of the runtime set it.
      RUNTIME: 'off',
      LOG_LEVEL: 'warn',
      DEMO: 'off',
      ...env,
    }),
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', stderr],
  });
  const output = collect(child);
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const [url, adminUrl] = await new Promise<[string, string]>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /Public\s+(http\S+)[\s\S]*?Admin\s+(\S+)[\s\S]*\n\n$/.exec(output.stdout);
      if (found) resolve([found[1] as string, found[2] as string]);
    });
    void exited.then(({ code }) => reject(new Error(`the service ended with ${code}: ${output.stderr}`)));
  });
  return {
    url,
    adminUrl,
    pid: child.pid as number,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    log: child.stderr,
    call: (call) => send(url, call),
    admin: (call) =>
      send(adminUrl, { ...call, headers: { Authorization: `Bearer ${adminToken}`, ...call.headers } }),
    runtime: (call) =>
      send(adminUrl, { ...call, headers: { Authorization: `Bearer ${runtimeToken}`, ...call.headers } }),
    kill: (signal) => {
      child.kill(signal);
      return exited;
    },
    exited,
  };
}

/** Parses the log of a process. Throws on a line that is not a JSON object. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
export function logLines(service: ServiceProcess): any[] {
  const text = service.stderr().trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

/** Runs a command and resolves when it exits. */
export function runProgram(
  args: string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Finished> {
  const child = spawn(process.execPath, [...shortLived, program, ...args], {
    env: environment(env),
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, ...output }));
  });
}

/** Starts `session-launch runtime`. Returns its URL once it listens, its output, and its exit code. */
export function startRuntimeAlone(env: Record<string, string>): {
  url: Promise<string>;
  output: { stdout: string; stderr: string };
  exited: Promise<number | null>;
  stop(): Promise<number | null>;
} {
  const child = spawn(process.execPath, [...shortLived, program, 'runtime'], {
    env: environment({ RUNTIME_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const found = /Address\s+(\S+)/.exec(output.stdout);
      if (found) resolve(found[1] as string);
    });
  });
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  return { url, output, exited, stop };
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  return output;
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'session-launch-process-'));
  // Retries, since a runtime whose service was killed may still be writing files there.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
