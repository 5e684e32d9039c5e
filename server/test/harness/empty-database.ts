import { randomBytes } from 'node:crypto';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { inject } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openInMemory } from '../../src/store/embedded.ts';
import { type AppliedChanges, type MigrateOptions, migrate } from '../../src/store/migrations/migrate.ts';
import { statementsOf } from '../../src/store/migrations/migrations.ts';
import { openPatiently } from './patient-postgres.ts';

/** A database without tables, of the engine under test. */
export interface EmptyDatabase {
  /** PostgreSQL only. */
  url: string | undefined;
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs a script of several statements. */
  load(script: string): Promise<void>;
  migrate(options?: MigrateOptions): Promise<AppliedChanges>;
  /** Opens it for a service. `drop` closes it. */
  open(): Promise<Database>;
  drop(): Promise<void>;
}

export async function emptyDatabase(): Promise<EmptyDatabase> {
  return inject('engine') === 'embedded' ? embedded() : postgres();
}

async function embedded(): Promise<EmptyDatabase> {
  const database = await openInMemory();
  return {
    url: undefined,
    query: async <Row>(text: string, values?: unknown[]) =>
      (await database.client.query<Row>(text, values)).rows,
    load: async (script) => {
      for (const statement of statementsOf(script)) await database.client.query(statement);
    },
    migrate: (options) => migrate(database, undefined, options),
    open: async () => database,
    drop: () => database.close(),
  };
}

async function postgres(): Promise<EmptyDatabase> {
  const server = inject('postgresUrl');
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = server.replace(/\/postgres$/, `/${name}`);
  const opened: Database[] = [];
  return {
    url,
    query: <Row>(text: string, values?: unknown[]) =>
      onDatabase(url, async (client) => (await client.query(text, values)).rows as Row[]),
    load: async (script) => {
      await onDatabase(url, (client) => client.query(script));
    },
    migrate: (options) => migrate({ engine: 'postgres' } as Database, url, options),
    open: async () => {
      const database = await openPatiently(url);
      opened.push(database);
      return database;
    },
    drop: async () => {
      for (const database of opened) await database.close();
      await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}
