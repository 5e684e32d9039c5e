import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readTar } from './backup/tar.ts';

/** Written by build.mjs. */
const archive = new URL('../dist/new-database.tgz', import.meta.url);

/**
 * Extracts a database on which initdb has run into an empty folder. If the package was built without it, the folder stays empty, and PGlite
 * runs initdb when it opens the folder, which takes about five seconds of CPU time.
 */
export async function extractNewDatabase(folder: string): Promise<void> {
  if (!existsSync(archive)) return;
  const tar = await promisify(gunzip)(await readFile(archive));
  const source = async function* () {
    yield tar;
  };
  for await (const { name, isFolder, body } of readTar(source())) {
    const path = join(folder, name);
    if (isFolder) mkdirSync(path, { recursive: true, mode: 0o700 });
    else {
      const chunks: Buffer[] = [];
      for await (const chunk of body()) chunks.push(chunk);
      // Synchronous, because hundreds of small files take three times the CPU time otherwise.
      writeFileSync(path, Buffer.concat(chunks), { mode: 0o600 });
    }
  }
}
