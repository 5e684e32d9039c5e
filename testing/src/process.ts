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
 * Most processes here live for seconds, and what V8 compiles once more, to be fast, is hardly called again. Without that a start
 * takes a quarter less of the processor on PostgreSQL, and two fifths less on the embedded engine.
 */
export const shortLived = ['--no-opt', '--liftoff-only'];

/** A service in a process of its own, as an operator starts it. */
export interface ServiceProcess {
  url: string;
  adminUrl: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** For tests that do not read what is logged as they should. Null when it goes into a file. */
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

/** Variables of a process: nothing is inherited but what Node needs to run. */
function environment(env: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env };
}

/**
 * `descriptors` is how many files and connections the process may have open; `stderr` is a descriptor to log to, instead of
 * being read here; `from` is the program, where it is not that of this checkout.
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
      // Tests of the runtime ask for it; the others spare themselves a process.
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

/** What a process has logged: one object a line, and nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
export function logLines(service: ServiceProcess): any[] {
  const text = service.stderr().trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

/** Runs the command line to its end. */
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

/** `session-launch runtime`: its address once it listens, what it printed so far, and how it ended. */
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
  // A runtime whose service was killed may still write its last word there.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
