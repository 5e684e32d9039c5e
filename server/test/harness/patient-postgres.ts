import pino from 'pino';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { DatabaseWait } from '../../src/store/postgres/database-wait.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';

/** Opens a database as the service does at start: retries while the server is too busy to accept a connection. */
export async function openPatiently(url: string, steps: { migrated?: boolean } = {}): Promise<Database> {
  const wait = new DatabaseWait({ engine: 'postgres', seconds: 180, log: pino({ level: 'silent' }) });
  try {
    const database = await wait.step(() => openPostgres(url, { onIdleError: () => undefined }));
    if (steps.migrated) await wait.step(() => migrate(database, url));
    return database;
  } finally {
    wait.end();
  }
}
