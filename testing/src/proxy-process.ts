import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, until } from './fleet.ts';
import { send } from './http.ts';
import { requireProgram } from './programs.ts';

/** A proxy that runs in the foreground until SIGTERM. */
interface Proxy {
  program: string;
  /** Command line for a configuration file. */
  args: (file: string) => string[];
  configuration: string;
  /** A URL behind the proxy that returns 200 once the proxy works. */
  url: string;
}

/** `sites` are the site blocks of a Caddyfile. Without the admin endpoint, which has a fixed port, and without certificates. */
export function startCaddy(cleanup: Cleanup, sites: string, url: string): Promise<void> {
  return startProxy(cleanup, {
    program: 'caddy',
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    configuration: `{\n\tadmin off\n\tauto_https off\n}\n${sites}`,
    url,
  });
}

/** `sections` follow the section `global`. */
export function startHaproxy(cleanup: Cleanup, sections: string, url: string): Promise<void> {
  return startProxy(cleanup, {
    program: 'haproxy',
    args: (file) => ['-db', '-f', file],
    configuration: `global\n    maxconn 1000\n    log stderr format raw daemon warning\n${sections}`,
    url,
  });
}

async function startProxy(cleanup: Cleanup, { program, args, configuration, url }: Proxy): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `session-launch-${program}-`));
  const file = join(folder, 'configuration');
  await writeFile(file, configuration);
  const child = spawn(requireProgram(program), args(file), {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  cleanup(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  await until(`${program} to forward requests`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} did not start: ${log}`);
    return send(url, { path: '/healthz' }).then(
      ({ status }) => status === 200,
      () => false,
    );
  });
}
