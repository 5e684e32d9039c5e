import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onDatabase, type PostgresOptions, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { type Contestant, type ServiceOptions, startService } from './contestant.ts';

/** The environment of a run: a temporary folder and a durable PostgreSQL. All processes are stopped at the end. */
export interface Environment {
  /** Aborted when the run should end. */
  signal: AbortSignal;
  /** The postmaster, the parent of all PostgreSQL processes. */
  postgresPid: number;
  postgresVersion: string;
  progress(text: string): void;
  database(name: string): Promise<string>;
  /** Starts our service on its own database. */
  onPostgres(databaseUrl: string, options?: ServiceOptions): Promise<Contestant>;
  /** Starts our service with the embedded engine, on its own folder. */
  embedded(options?: ServiceOptions): Promise<Contestant>;
  /** Registers a contestant to be stopped at the end. */
  started(contestant: Promise<Contestant>): Promise<Contestant>;
}

export async function withEnvironment<T>(
  signal: AbortSignal,
  work: (environment: Environment) => Promise<T>,
  options: Pick<PostgresOptions, 'settings' | 'bin'> = {},
): Promise<T> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'session-launch-bench-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const server = await startPostgres({ durable: true, detached: true, ...options });
    undo.push(() => server.dispose());
    const admin = server.url('postgres');
    const { version, pid } = await onDatabase(admin, async (client) => {
      const { rows } = await client.query<{ version: string; pid: number }>(
        `SELECT current_setting('server_version') AS version,
                split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`,
      );
      return rows[0]!;
    });
    let folders = 0;
    const ownFolder = () => join(folder, String(folders++));
    const started = async (contestant: Promise<Contestant>) => {
      const { stop } = await contestant;
      undo.push(stop);
      return contestant;
    };
    return await work({
      signal,
      postgresPid: pid,
      postgresVersion: version,
      progress,
      started,
      database: async (name) => {
        await onDatabase(admin, (client) => client.query(`CREATE DATABASE ${name}`));
        return server.url(name);
      },
      onPostgres: (databaseUrl, options) =>
        started(
          startService(
            { DATABASE_URL: databaseUrl, DATA_DIR: ownFolder(), ...options?.env },
            { ...options, detached: true },
          ),
        ),
      embedded: (options) =>
        started(startService({ DATA_DIR: ownFolder(), ...options?.env }, { ...options, detached: true })),
    });
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
  else process.stderr.write(`${text}\n`);
}
