import { createReadStream, existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { readTar } from './backup/tar.ts';

/** Written by build.mjs. */
const archive = new URL('../dist/new-database.tgz', import.meta.url);

/**
 * Extracts a database on which initdb has run into an empty folder. If the package was built without it, the folder stays empty, and PGlite
 * runs initdb when it opens the folder, which takes about five seconds of CPU time.
 */
export async function extractNewDatabase(folder: string): Promise<void> {
  if (!existsSync(archive)) return;
  const input = createReadStream(archive);
  const unzipped = createGunzip();
  input.on('error', (error) => unzipped.destroy(error));
  for await (const { name, isFolder, body } of readTar(input.pipe(unzipped))) {
    const path = join(folder, name);
    if (isFolder) await mkdir(path, { recursive: true, mode: 0o700 });
    else await writeFile(path, body(), { mode: 0o600 });
  }
}
