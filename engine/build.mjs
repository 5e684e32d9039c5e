// Copies the files of a new database, on which initdb has run, from the package of PGlite that has them to dist/new-database.tgz. A copy,
// because that package requires an older PGlite; test/new-database.test.ts checks that initdb of the pinned one creates the same.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('dist/new-database.tgz', import.meta.url));

function findSource() {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve('@electric-sql/pglite-prepopulatedfs')), 'prepopulatedfs.tgz');
}

export const isBuilt = () => existsSync(target);

export function isStale() {
  if (!isBuilt()) return true;
  try {
    return !readFileSync(findSource()).equals(readFileSync(target));
  } catch {
    // An installation without development dependencies.
    return false;
  }
}

export async function build() {
  mkdirSync(dirname(target), { recursive: true });
  // Renamed into place, because another process may be reading the file.
  const partial = `${target}.${process.pid}`;
  copyFileSync(findSource(), partial);
  renameSync(partial, target);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && isStale()) await build();
