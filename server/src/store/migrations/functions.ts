import { StartError } from '@session-launch/process/start-error';
import type { Program, SqlFunction } from './migrations.ts';

export type Run = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

export const newerDatabase =
  'the database was created by a newer version of this program; start that version, or restore a backup from before the upgrade';

export interface AppliedFunctions {
  /** Names of the functions that were created or replaced. */
  replaced: string[];
  /** The version that installed the functions, if it is newer than this program; in that case none was replaced. */
  newerVersion?: string;
}

/**
 * Creates or replaces the functions whose text differs from the one that the database has. Each function keeps the digest of its text,
 * and the version of the program that installed it, in its comment.
 *
 * An older program leaves the functions of a newer one alone, so that two versions that start alternately do not keep replacing
 * each other's functions. A release keeps the functions of the release before callable, so the older program can work with them.
 */
export async function applyFunctions(
  run: Run,
  { version, functions }: Pick<Program, 'version' | 'functions'>,
): Promise<AppliedFunctions> {
  const installed = await readInstalled(run);
  let newest = '0.0.0';
  for (const { name } of functions) {
    const by = installed.get(name)?.version;
    if (by !== undefined && isNewer(by, newest)) newest = by;
  }
  if (isNewer(newest, version)) {
    if (functions.some(({ name }) => !installed.has(name))) throw new StartError(newerDatabase);
    return { replaced: [], newerVersion: newest };
  }
  const replaced: string[] = [];
  for (const one of functions) {
    if (installed.get(one.name)?.digest === one.digest) continue;
    await replace(run, one);
    await run(
      `COMMENT ON FUNCTION public.${one.name} IS 'session-launch ${numbers(version).join('.')} sha256 ${one.digest}'`,
    );
    replaced.push(one.name);
  }
  return { replaced };
}

/** Fields are absent if the function has no such comment, as in version 0.1.0. */
interface Installed {
  version?: string;
  digest?: string;
}

async function readInstalled(run: Run): Promise<Map<string, Installed>> {
  const { rows } = await run(`
    SELECT p.proname AS name, pg_catalog.obj_description(p.oid, 'pg_proc') AS comment
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public'`);
  const installed = new Map<string, Installed>();
  for (const { name, comment } of rows as { name: string; comment: string | null }[]) {
    const [, version, digest] =
      /^session-launch (\d+\.\d+\.\d+) sha256 ([0-9a-f]{64})$/.exec(comment ?? '') ?? [];
    installed.set(name, version === undefined || digest === undefined ? {} : { version, digest });
  }
  return installed;
}

/** PostgreSQL's code for a function whose result type or parameter names would change. */
const invalidFunctionDefinition = '42P13';

async function replace(run: Run, { name, statement }: SqlFunction): Promise<void> {
  await run('SAVEPOINT before_function');
  try {
    await run(statement);
  } catch (error) {
    if ((error as { code?: string }).code !== invalidFunctionDefinition) throw error;
    await run('ROLLBACK TO SAVEPOINT before_function');
    await run(`DROP FUNCTION public.${name}`);
    await run(statement);
  }
  await run('RELEASE SAVEPOINT before_function');
}

/** Compares major, minor and patch. A pre-release counts as its release. */
function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  const differing = a.findIndex((part, i) => part !== b[i]);
  return differing !== -1 && a[differing]! > b[differing]!;
}

function numbers(version: string): number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (parts.length !== 3) throw new Error(`not a version: ${version}`);
  return parts.map(Number);
}
