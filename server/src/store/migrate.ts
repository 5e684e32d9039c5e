import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as migratePostgres } from 'drizzle-orm/node-postgres/migrator';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import { type Database, StartError } from './database.ts';
import type { EmbeddedDatabase } from './embedded.ts';
import { withConnection } from './postgres.ts';

const folder = fileURLToPath(new URL('../../migrations', import.meta.url));
const settings = {
  migrationsFolder: folder,
  migrationsSchema: 'public',
  migrationsTable: 'schema_migrations',
};
/** Any fixed number: processes that start together take turns on it. */
const migrationLock = 7_315_042_017n;

type Run = (text: string) => Promise<{ rows: unknown[] }>;

/** Brings the database to this program's schema. Refuses, untouched, one that a newer program has changed. */
export async function migrate(database: Database, postgresUrl?: string): Promise<void> {
  if (database.engine === 'embedded') {
    const { client } = database as EmbeddedDatabase;
    await refuseNewer((text) => client.query(text));
    await migratePglite(drizzlePglite(client), settings);
    return;
  }
  if (postgresUrl === undefined) throw new Error('PostgreSQL migrations need the address of the database');
  await withConnection(postgresUrl, async (client) => {
    await client.query(`SELECT pg_advisory_lock(${migrationLock})`);
    await refuseNewer((text) => client.query(text));
    try {
      await migratePostgres(drizzle(client), settings);
    } catch (error) {
      throw new StartError(
        `the database could not be brought up to date (${rootMessage(error)}); the role of DATABASE_URL must be allowed to create tables in schema public`,
        { cause: error },
      );
    }
  });
}

async function refuseNewer(run: Run): Promise<void> {
  const { rows: found } = await run("SELECT to_regclass('public.schema_migrations') IS NOT NULL AS present");
  if (!(found[0] as { present: boolean }).present) return;
  const { rows } = await run('SELECT max(created_at) AS newest FROM public.schema_migrations');
  const newest = Number((rows[0] as { newest: string | number | null }).newest ?? 0);
  if (newest > newestKnown()) {
    throw new StartError(
      'the database was made by a newer version of this program; start that version, or restore a backup from before the upgrade',
    );
  }
}

function newestKnown(): number {
  const journal = JSON.parse(readFileSync(join(folder, 'meta', '_journal.json'), 'utf8')) as {
    entries: { when: number }[];
  };
  return Math.max(...journal.entries.map((entry) => entry.when));
}

function rootMessage(error: unknown): string {
  let deepest = error as Error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest.message;
}
