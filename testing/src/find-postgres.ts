import { accessSync, constants, readdirSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';

/** Where Debian's packages put the programs of each major version. */
const debianFolder = '/usr/lib/postgresql';
const oldestVersion = 15;

export const noDebianPostgres =
  "there is no PostgreSQL for the tests on Debian's build: install the package postgresql, or name a folder of its programs in POSTGRES_BIN (Linux)";

/**
 * The folder of the programs of an installed PostgreSQL: POSTGRES_BIN, or that of the newest Debian package. Unlike the binaries of the
 * npm package, these are built as most servers are: with just-in-time compilation.
 */
export function findPostgres(
  env: NodeJS.ProcessEnv = process.env,
  folder = debianFolder,
): string | undefined {
  if (env.POSTGRES_BIN) return hasServer(env.POSTGRES_BIN) ? env.POSTGRES_BIN : undefined;
  if (platform() !== 'linux') return undefined;
  return versionsIn(folder)
    .filter((version) => version >= oldestVersion)
    .sort((a, b) => b - a)
    .map((version) => join(folder, String(version), 'bin'))
    .find(hasServer);
}

function versionsIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}

function hasServer(bin: string): boolean {
  try {
    for (const program of ['initdb', 'postgres']) accessSync(join(bin, program), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
