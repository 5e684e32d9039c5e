import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Cleanup } from './fleet.ts';

export const noNginx =
  'there is no nginx for the test of the proxy example: install the package nginx (Linux)';

/** The program; undefined where it is not installed, or where the test's loopback addresses (127.0.0.2 …) do not exist. */
export function findNginx(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (platform() !== 'linux') return undefined;
  // Debian installs it into /usr/sbin, which is not in the PATH of every user.
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'nginx'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Nginx {
  /** Reads the configuration again. Resolves when a new worker takes connections; the old one keeps those it has. */
  reload(): Promise<void>;
  /** What nginx has written to its error log. */
  log(): string;
}

/** Runs nginx with what stands in its `http` block, as any user and in a folder of its own. */
export async function startNginx(cleanup: Cleanup, http: string): Promise<Nginx> {
  const program = findNginx();
  if (program === undefined) throw new Error(noNginx);
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-nginx-'));
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, http));
  const child = spawn(program, ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  let onLog = () => {};
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
    onLog();
  });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve();
      onLog();
    });
    child.once('error', () => resolve());
  });
  cleanup(async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const workers = () => log.split('start worker process ').length - 1;
  /** Resolves when nginx has started this many workers in all. */
  const started = (count: number) =>
    new Promise<void>((resolve, reject) => {
      onLog = () => {
        if (workers() >= count) resolve();
        else if (child.exitCode !== null) reject(new Error(`nginx did not start: ${log}`));
      };
      onLog();
    });
  await started(1);
  return {
    log: () => log,
    reload: async () => {
      const next = started(workers() + 1);
      child.kill('SIGHUP');
      await next;
    },
  };
}

function configuration(folder: string, http: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    // As root, workers would otherwise run as a user who cannot write into the folder.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 1;',
    `pid ${folder}/nginx.pid;`,
    'error_log stderr notice;',
    'events { worker_connections 512; }',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`),
    http,
    '}',
    '',
  ].join('\n');
}
