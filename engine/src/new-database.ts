import fs from 'node:fs';
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
  if (!fs.existsSync(archive)) return;
  const tar = await promisify(gunzip)(await fs.promises.readFile(archive));
  const source = async function* () {
    yield tar;
  };
  for await (const { name, isFolder, body } of readTar(source())) {
    const path = join(folder, name);
    // Synchronous, because hundreds of small files take three times the CPU time otherwise.
    if (isFolder) fs.mkdirSync(path, { mode: 0o700 });
    else {
      const file = fs.openSync(path, 'wx', 0o600);
      let at = 0;
      for await (const chunk of body()) {
        for (let from = 0; from < chunk.length; ) {
          const written = fs.writeSync(file, chunk, from, chunk.length - from, at);
          from += written;
          at += written;
        }
      }
      fs.closeSync(file);
    }
  }
}
