import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from '@session-launch/process/start-error';
import type { Database } from '../database.ts';
import { isCollision, isOutage } from '../database-errors.ts';
import type { EmbeddedDatabase } from '../embedded.ts';
import { formerDigests } from './former-digests.ts';
import { type AppliedFunctions, applyFunctions, newerDatabase, type Run } from './functions.ts';
import { type Program, readProgram } from './migrations.ts';

/** Key of the advisory lock under which processes that start at the same time migrate one after the other. */
const migrationLock = 7_315_042_017n;

export interface MigrateOptions {
  /** Receives a line about the applied migrations and functions. */
  log?: Pick<Logger, 'info' | 'warn'>;
  /** Migrations and functions to apply instead of this program's own. */
  program?: Program;
}

export interface AppliedChanges {
  /** Names of the migrations that were applied. */
  migrations: string[];
  /** Names of the functions that were replaced. */
  functions: string[];
}

/**
 * Migrates the tables and functions to the state that this program expects. Throws, without changing anything, if a newer program has
 * migrated the tables further.
 */
export async function migrate(
  database: Database,
  postgresUrl?: string,
  { log, program }: MigrateOptions = {},
): Promise<AppliedChanges> {
  const wanted = program ?? (await readProgram());
  const applied = await onOneConnection(database, postgresUrl, (run) => bringUpToDate(run, wanted));
  const { migrations, replaced, newerVersion } = applied;
  if (migrations.length > 0 || replaced.length > 0) {
    log?.info({ migrations, functions: replaced }, 'updated the database schema');
  }
  if (newerVersion !== undefined) {
    log?.warn(
      { version: wanted.version, newerVersion },
      'the functions in the database are of a newer version; they are left unchanged',
    );
  }
  return { migrations, functions: replaced };
}

async function onOneConnection<T>(
  database: Database,
  postgresUrl: string | undefined,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  if (database.engine === 'embedded') {
    const { client } = database as EmbeddedDatabase;
    return work((text, values) => client.query(text, values, { mayTakeLong: true }));
  }
  if (postgresUrl === undefined) throw new Error('PostgreSQL migrations need the address of the database');
  const { withConnection } = await import('../postgres/postgres.ts');
  return withConnection(postgresUrl, work).catch((error) => {
    throw error instanceof StartError ? error : failed(error);
  });
}

/**
 * Old processes keep serving during a migration. DDL queues behind their transactions and blocks new ones, so give up after 500 ms,
 * which is less than `deadlock_timeout`, and retry.
 */
const lockTimeoutMs = 500;
const pauseMs = 300;
const maxAttempts = 40;

/**
 * Locked together before the first migration, in the order in which requests lock them. A migration that held one and then needed
 * another would meet requests that hold the other and wait for the first: under load, no attempt would succeed.
 */
const tablesOfRequests = 'sessions, active_sessions, experiences, projects, revisions';

async function bringUpToDate(run: Run, program: Program): Promise<Changes> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyMissing(run, program);
    } catch (error) {
      const isLocked = isCollision(error) || (error as { code?: string }).code === '55P03';
      if (!isLocked || attempt === maxAttempts) throw error;
      await sleep(pauseMs);
    }
  }
}

interface Changes extends AppliedFunctions {
  /** Names of the migrations that were applied. */
  migrations: string[];
}

/** One transaction, so that a start that fails has changed nothing. */
async function applyMissing(run: Run, program: Program): Promise<Changes> {
  await run('BEGIN');
  try {
    await run(`SELECT pg_advisory_xact_lock(${migrationLock})`);
    await run(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const migrations = await applyMigrations(run, program);
    const functions = await applyFunctions(run, program);
    await run('COMMIT');
    return { migrations, ...functions };
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function applyMigrations(run: Run, { migrations }: Program): Promise<string[]> {
  const applied = await readApplied(run);
  const newest = applied.at(-1)?.version ?? 0;
  const wanted = migrations.at(-1)!.version;
  if (newest > wanted) throw new StartError(newerDatabase);
  if (newest > 0 && newest < wanted) await run(`LOCK TABLE ${tablesOfRequests} IN ACCESS EXCLUSIVE MODE`);
  const names: string[] = [];
  for (const { version, name, digest, statements } of migrations) {
    if (version <= newest) {
      // A released migration never changes. A checkout from between two releases may have applied another one under this number.
      const recorded = applied.find((step) => step.version === version)?.digest ?? '';
      if (recorded !== digest && !formerDigests[version]?.includes(recorded)) throw unreleased();
      continue;
    }
    for (const statement of statements) await run(statement);
    await run('INSERT INTO public.schema_migrations (version, digest) VALUES ($1, $2)', [version, digest]);
    names.push(name);
  }
  return names;
}

interface Applied {
  version: number;
  /** See `Migration`. */
  digest: string | null;
}

/** Creates the table only if it is missing, so that a role without the right to create tables can start on a complete schema. */
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
    'the database was created by an unreleased version, which cannot be upgraded; export its projects with that version, then start on an empty database',
  );
}

function failed(error: Error & { code?: string }): StartError {
  const advice: Record<string, string> = {
    '42501': 'let the role of DATABASE_URL own the tables, and allow it to create some in schema public',
    '55P03': 'its tables were in use: end long statements and dumps, or start again later',
    '42P07': 'these tables do not belong to this program: set DATABASE_URL to an empty database',
    '42723': 'these functions do not belong to this program: set DATABASE_URL to an empty database',
  };
  const todo = isOutage(error)
    ? 'start again when it is reachable'
    : (advice[error.code ?? ''] ?? 'nothing was changed; fix the cause and start again');
  return new StartError(`the database could not be brought up to date (${error.message}); ${todo}`, {
    cause: error,
  });
}
