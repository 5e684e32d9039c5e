import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { send, sendWith } from './http.ts';
import { adminToken, runtimeToken, type Target } from './target.ts';

export const program = fileURLToPath(new URL('./built.js', import.meta.url));

/**
 * Disables V8's optimising compilers: most test processes run for seconds. Reduces the CPU time of a start by 25 % with PostgreSQL and by
 * 40 % with the embedded engine.
 */
export const shortLived = ['--no-opt', '--liftoff-only'];

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A service that runs as a child process, started from the command line. */
export interface ServiceProcess extends Target {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** The raw log stream, for tests of slow or broken log readers. `null` if stderr goes to a file. */
  log: Readable | null;
  kill(signal: NodeJS.Signals): Promise<Exit>;
  readonly exited: Promise<Exit>;
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface StartOptions {
  env: Record<string, string>;
  cwd?: string | undefined;
  /** A descriptor for stderr, which is otherwise collected. */
  stderr?: 'pipe' | number;
  /** Limit of open file descriptors. */
  descriptors?: number | undefined;
  /** Starts its own process group, which can be signalled as a whole. */
  detached?: boolean;
}

/** Measurements run as in production. */
const options = process.env.TEST_LONG === '1' ? [] : shortLived;

/** Starts Node and collects its output. Of the inherited variables it gets only PATH and HOME. */
export function startNode(
  args: string[],
  { env, cwd, stderr = 'pipe', descriptors, detached = false }: StartOptions,
) {
  const node = [process.execPath, ...options, ...args];
  const [command = '', ...rest] =
    descriptors === undefined ? node : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...node];
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...env },
    cwd,
    detached,
    stdio: ['ignore', 'pipe', stderr],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]?.on('data', (chunk: Buffer) => {
      output[stream] += chunk.toString();
    });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, closed };
}

/** Resolves with the match when stdout matches. Rejects if the process exits before. */
export function printed(
  { child, output, closed }: ReturnType<typeof startNode>,
  pattern: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = pattern.exec(output.stdout);
      if (found !== null) resolve(found);
    });
    void closed.then((code) => reject(new Error(`the process ended with ${code}: ${output.stderr}`)));
  });
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
  const started = startNode([from, 'serve'], {
    env: {
      PORT: '0',
      ADMIN_PORT: '0',
      ADMIN_TOKEN: adminToken,
      RUNTIME_TOKEN: runtimeToken,
      // Off by default to save a process; tests of the runtime set it.
      RUNTIME: 'off',
      LOG_LEVEL: 'warn',
      DEMO: 'off',
      // Otherwise tests of other languages would depend on the programs of the machine.
      ESPEAK: 'off',
      ...env,
    },
    ...{ cwd, stderr, descriptors },
  });
  const { child, output } = started;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const [, url = '', adminUrl = ''] = await printed(
    started,
    /Public\s+(http\S+)[\s\S]*?Admin\s+(\S+)[\s\S]*\n\n$/,
  );
  return {
    url,
    adminUrl,
    pid: child.pid as number,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    log: child.stderr,
    call: (call) => send(url, call),
    admin: sendWith(adminToken, adminUrl),
    runtime: sendWith(runtimeToken, adminUrl),
    kill: (signal) => {
      child.kill(signal);
      return exited;
    },
    exited,
  };
}

/** The same process, called at its own port: with PUBLIC_URL, `url` is that address. */
export function atPort(service: ServiceProcess, port: number): ServiceProcess {
  const url = `http://127.0.0.1:${port}`;
  return { ...service, url, call: (call) => send(url, call) };
}

/** Parses the log of a process. Throws on a line that is not a JSON object. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into log lines freely
export function logLines(service: ServiceProcess): any[] {
  const text = service.stderr().trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}

/** Runs a command and resolves when it exits. */
export async function runProgram(
  args: string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<Finished> {
  const { output, closed } = startNode([program, ...args], { env, cwd });
  return { code: await closed, ...output };
}

/**
 * Starts `session-launch runtime`. Returns its URL once it listens, its output, and its exit code. `stop` signals the command and the runtime that
 * it has started, as supervisors and terminals do.
 */
export function startRuntimeAlone(env: Record<string, string>) {
  const started = startNode([program, 'runtime'], { env: { RUNTIME_PORT: '0', ...env }, detached: true });
  const { child, output, closed: exited } = started;
  const url = printed(started, /Address\s+(\S+)/).then(([, found = '']) => found);
  // Tests of a failing start read the output instead.
  url.catch(() => {});
  const stop = () => {
    process.kill(-child.pid!, 'SIGTERM');
    return exited;
  };
  return { url, output, exited, stop };
}

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'session-launch-process-'));
  // Retries, since a runtime whose service was killed may still be writing files there.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}
