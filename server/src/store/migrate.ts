import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../sha256.ts';
import { type Database, StartError } from './database.ts';
import { isCollision, isOutage } from './database-errors.ts';
import type { EmbeddedDatabase } from './embedded.ts';
import { type Migration, readMigrations } from './migrations.ts';

/** Any fixed number: processes that start together take turns on it. */
const migrationLock = 7_315_042_017n;

type Run = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** Brings the database to this program's schema. Refuses, untouched, one that a newer program has changed. */
export async function migrate(
  database: Database,
  postgresUrl?: string,
  known?: readonly Migration[],
): Promise<void> {
  const migrations = known ?? (await readMigrations());
  if (database.engine === 'embedded') {
    const { client } = database as EmbeddedDatabase;
    return bringUpToDate((text, values) => client.query(text, values, { patient: true }), migrations);
  }
  if (postgresUrl === undefined) throw new Error('PostgreSQL migrations need the address of the database');
  const { withConnection } = await import('./postgres.ts');
  return withConnection(postgresUrl, (run) => bringUpToDate(run, migrations)).catch((error) => {
    throw error instanceof StartError ? error : failed(error);
  });
}

/**
 * Processes of the version before go on meanwhile. A change of a table they use has to wait until nobody does, and whoever comes
 * later then waits behind it: so it waits for a moment only, shorter than the database takes to look for a deadlock,
 * makes room again, and tries later.
 */
const lockTimeoutMs = 500;
const pauseMs = 300;
const mostAttempts = 40;

async function bringUpToDate(run: Run, known: readonly Migration[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await applyMissing(run, known);
      return;
    } catch (error) {
      const isInTheWay = isCollision(error) || (error as { code?: string }).code === '55P03';
      if (!isInTheWay || attempt === mostAttempts) throw error;
      await sleep(pauseMs);
    }
  }
}

/** All that is missing, or nothing: one transaction, so that a start that fails has changed nothing. */
async function applyMissing(run: Run, known: readonly Migration[]): Promise<void> {
  await run('BEGIN');
  try {
    await run(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await run(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const applied = await readApplied(run);
    const newest = applied.at(-1)?.version ?? 0;
    if (newest > known.at(-1)!.version) {
      throw new StartError(
        'the database was made by a newer version of this program; start that version, or restore a backup from before the upgrade',
      );
    }
    for (const { version, statements } of known) {
      const digest = sha256Hex(statements.join('\n'));
      if (version <= newest) {
        // What a release has shipped never changes; before the first one it did, and such a database would fail at its first mint.
        if (applied.find((step) => step.version === version)?.digest !== digest) throw unreleased();
        continue;
      }
      for (const statement of statements) await run(statement);
      await run('INSERT INTO public.schema_migrations (version, digest) VALUES ($1, $2)', [version, digest]);
    }
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

interface Applied {
  version: number;
  /** Of its statements. */
  digest: string | null;
}

/** Looks before it makes the table: a role that may not create anything can still start on a finished schema. */
async function readApplied(run: Run): Promise<Applied[]> {
  const { rows: columns } = await run(
    "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'schema_migrations'",
  );
  const names = (columns as { name: string }[]).map(({ name }) => name);
  if (names.length === 0) {
    await run(`CREATE TABLE public.schema_migrations (
      version integer PRIMARY KEY, digest text, applied_at timestamptz NOT NULL DEFAULT now())`);
    return [];
  }
  if (!names.includes('digest')) throw unreleased();
  const { rows } = await run('SELECT version, digest FROM public.schema_migrations ORDER BY version');
  return rows as Applied[];
}

function unreleased(): StartError {
  return new StartError(
    'the database was made by a version from before the first release, or between two, which cannot be upgraded; export its projects with that version, then start on an empty database',
  );
}

function failed(error: Error & { code?: string }): StartError {
  const advice: Record<string, string> = {
    '42501': 'let the role of DATABASE_URL own the tables, and allow it to create some in schema public',
    '55P03': 'its tables were in use all the time: end long statements and dumps, or start again later',
    '42P07': 'these tables are not of this program: set DATABASE_URL to an empty database',
    '42723': 'these functions are not of this program: set DATABASE_URL to an empty database',
  };
  const todo = isOutage(error)
    ? 'start again when it answers'
    : (advice[error.code ?? ''] ?? 'nothing was changed; repair what it says and start again');
  return new StartError(`the database could not be brought up to date (${error.message}); ${todo}`, {
    cause: error,
  });
}
