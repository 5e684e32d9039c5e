import type { Logger } from 'pino';
import { type AppliedChanges, migrate } from '../store/migrations/migrate.ts';
import { DatabaseWait } from '../store/postgres/database-wait.ts';
import { openPostgres } from '../store/postgres/postgres.ts';

interface MigrateDeps {
  url: string;
  /** Maximum seconds to wait for PostgreSQL. */
  waitSeconds: number;
  log: Logger;
}

/** Does what a start does with the tables and functions of a PostgreSQL database, and closes it. */
export async function migratePostgres({ url, waitSeconds, log }: MigrateDeps): Promise<AppliedChanges> {
  const wait = new DatabaseWait({ engine: 'postgres', seconds: waitSeconds, log });
  try {
    const onIdleError = (error: Error) => log.warn({ err: error }, 'a database connection was lost');
    const database = await wait.step(() => openPostgres(url, { onIdleError }));
    try {
      return await wait.step(() => migrate(database, url, { log }));
    } finally {
      await database.close();
    }
  } finally {
    wait.end();
  }
}
