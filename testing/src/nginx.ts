import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNginx, noNginx } from './find-nginx.ts';
import type { Cleanup } from './fleet.ts';

export interface Nginx {
  /** Reloads the configuration. Resolves when a new worker accepts connections; the old worker keeps its open connections. */
  reload(): Promise<void>;
}

/** Runs nginx in a temporary folder, as the current user, with `http` as the content of its `http` block. */
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
  /** Resolves when nginx has started this many workers in total. */
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
    // When started as root, nginx would run its workers as a user who cannot write into the folder.
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
