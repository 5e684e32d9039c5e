import { readFile } from 'node:fs/promises';
import { clonedDatabase } from '@session-launch/testing/cloned-database.ts';
import { inject } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openInMemory } from '../../src/store/embedded.ts';
import { openPatiently } from './patient-postgres.ts';

export interface TestDatabase {
  database: Database;
  /** PostgreSQL only. */
  url?: string;
  drop(): Promise<void>;
}

/** Unused embedded databases of this worker. They are reused because opening a database takes seconds and truncating it does not. */
const idle: Database[] = [];

async function emptied(database: Database): Promise<void> {
  // Disables triggers: some of them forbid deleting rows.
  const text = `DO $$ BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I', tablename), ', ') || ' RESTART IDENTITY'
               FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations');
  END $$`;
  await database.query('admin', { text });
  idle.push(database);
}

/** Returns a migrated, empty database of the engine under test. */
export async function freshDatabase(): Promise<TestDatabase> {
  if (inject('engine') === 'embedded') {
    const database = idle.pop() ?? (await openInMemory(await readFile(inject('dump'))));
    return { database, drop: () => emptied(database) };
  }
  const { url, drop } = await clonedDatabase();
  const database = await openPatiently(url);
  return {
    database,
    url,
    drop: async () => {
      await database.close();
      await drop();
    },
  };
}
