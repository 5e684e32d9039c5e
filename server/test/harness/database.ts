import { readFile } from 'node:fs/promises';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { inject } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openInMemory } from '../../src/store/embedded.ts';
import { openPostgres } from '../../src/store/postgres.ts';

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
