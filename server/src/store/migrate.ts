import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { type Database, StartError } from './database.ts';
import type { EmbeddedDatabase } from './embedded.ts';
import { isCollision } from './outage.ts';
import { withConnection } from './postgres.ts';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
/** Any fixed number: processes that start together take turns on it. */
const migrationLock = 7_315_042_017n;

type Run = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** Brings the database to this program's schema. Refuses, untouched, one that a newer program has changed. */
export async function migrate(database: Database, postgresUrl?: string): Promise<void> {
  if (database.engine === 'embedded') {
    const { client } = database as EmbeddedDatabase;
    return bringUpToDate((text, values) => client.query(text, values, { patient: true }));
  }
  if (postgresUrl === undefined) throw new Error('PostgreSQL migrations need the address of the database');
  return withConnection(postgresUrl, (client) =>
    bringUpToDate((text, values) => client.query(text, values)).catch((error) => {
      throw error instanceof StartError ? error : failed(error);
    }),
  );
}

/**
 * Processes of the version before go on meanwhile. A change of a table they use has to wait until nobody does, and whoever comes
 * later then waits behind it: so it waits for a moment only, shorter than the database takes to look for a deadlock,
 * makes room again, and tries later.
 */
const lockTimeoutMs = 500;
const pauseMs = 300;
const mostAttempts = 40;

async function bringUpToDate(run: Run): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyMissing(run);
      return;
    } catch (error) {
      const isInTheWay = isCollision(error) || (error as { code?: string }).code === '55P03';
      if (!isInTheWay || attempt === mostAttempts) throw error;
      await sleep(pauseMs);
    }
  }
}

/** All that is missing, or nothing: one transaction, so that a start that fails has changed nothing. */
async function applyMissing(run: Run): Promise<void> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  await run('BEGIN');
  try {
    await run(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await run(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const newest = await newestApplied(run);
    if (newest > Math.max(...known.map((migration) => migration.folderMillis))) {
      throw new StartError(
        'the database was made by a newer version of this program; start that version, or restore a backup from before the upgrade',
      );
    }
    for (const { sql, hash, folderMillis } of known) {
      if (folderMillis <= newest) continue;
      for (const statement of sql) await run(statement);
      await run('INSERT INTO public.schema_migrations (hash, created_at) VALUES ($1, $2)', [
        hash,
        folderMillis,
      ]);
    }
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Looks before it makes the table: a role that may not create anything can still start on a finished schema. */
async function newestApplied(run: Run): Promise<number> {
  const { rows: found } = await run("SELECT to_regclass('public.schema_migrations') IS NOT NULL AS present");
  if (!(found[0] as { present: boolean }).present) {
    await run(
      'CREATE TABLE public.schema_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)',
    );
    return 0;
  }
  const { rows } = await run('SELECT max(created_at) AS newest FROM public.schema_migrations');
  return Number((rows[0] as { newest: string | number | null }).newest ?? 0);
}

function failed(error: Error & { code?: string }): StartError {
  const advice: Record<string, string> = {
    '42501': 'let the role of DATABASE_URL own the tables, and allow it to create some in schema public',
    '55P03': 'its tables were in use all the time: end long statements and dumps, or start again later',
    '42P07': 'these tables are not of this program: set DATABASE_URL to an empty database',
    '42723': 'these functions are not of this program: set DATABASE_URL to an empty database',
  };
  const todo = advice[error.code ?? ''] ?? 'nothing was changed; repair what it says and start again';
  return new StartError(`the database could not be brought up to date (${error.message}); ${todo}`, {
    cause: error,
  });
}
