import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openInMemory } from '../../src/store/embedded.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { onDatabase } from './postgres-server.ts';

export interface TestDatabase {
  database: Database;
  /** PostgreSQL only. */
  url?: string;
  drop(): Promise<void>;
}

/** A migrated, empty database of the engine that this run is about. */
export async function freshDatabase(): Promise<TestDatabase> {
  if (inject('engine') === 'embedded') {
    const database = await openInMemory(await readFile(inject('dump')));
    return { database, drop: () => database.close() };
  }
  const { url, drop } = await clonedDatabase();
  const database = await openPostgres(url, { onIdleError: () => undefined });
  return {
    database,
    url,
    drop: async () => {
      await database.close();
      await drop();
    },
  };
}

/** A clone of the migrated template on the shared server. */
export async function clonedDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onDatabase(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template_service STRATEGY file_copy`),
  );
  return {
    url: server.replace(/\/postgres$/, `/${name}`),
    drop: async () => {
      await onDatabase(server, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}
