import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { lockFolder } from '../store/embedded/folder-lock.ts';
import { syncFolder, syncTree } from '../store/files/folders.ts';
import { BackupFailure, databaseFolder, type Manifest, manifestName, parseManifest } from './manifest.ts';
import { readTar, type TarEntry, TarError } from './tar.ts';

export interface Restored extends Manifest {
  dataDir: string;
  contains: string[];
}

export interface RestoreRequest {
  file: string;
  dataDir: string;
  /** Called with the total number of bytes written. */
  onProgress?: (bytes: number) => void;
}

/** Names that may exist in an empty data folder: the lock, remains of an interrupted restore, and the folder of a file system check. */
const ignored = /^(lock(\..*)?|restore\.new|lost\+found)$/;

/** Restores a backup into a data folder that does not exist or is empty. If it fails, nothing has changed. */
export async function restoreBackup({ file, dataDir, onProgress }: RestoreRequest): Promise<Restored> {
  const source = await openBackup(file);
  const made = await fs.promises.mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new BackupFailure(`cannot create ${dataDir} (${error.code})`, { cause: error });
  });
  const moved: string[] = [];
  let isDone = false;
  try {
    const lock = await lockFolder(dataDir);
    const draft = join(dataDir, 'restore.new');
    try {
      await requireEmpty(dataDir);
      await fs.promises.rm(draft, { recursive: true, force: true });
      const contains = await extract(source.entries, draft, file, onProgress);
      await syncTree(draft);
      // The database last: without it, the folder does not look like a restored one.
      for (const name of contains.toReversed()) {
        await fs.promises.rename(join(draft, name), join(dataDir, name));
        moved.push(join(dataDir, name));
      }
      await syncFolder(dataDir);
      isDone = true;
      return { dataDir, ...source.manifest, contains };
    } finally {
      // While the folder is locked: afterwards another process may use it.
      if (!isDone) for (const path of moved) await fs.promises.rm(path, { recursive: true, force: true });
      await fs.promises.rm(draft, { recursive: true, force: true });
      await lock.release();
    }
  } catch (error) {
    throw readable(error, file, dataDir);
  } finally {
    await source.close();
    if (!isDone && made !== undefined) await removeEmpty(dataDir, made);
  }
}

/** Removes a folder and its parents up to `first`, as long as they are empty: another process may have begun to use them. */
async function removeEmpty(folder: string, first: string): Promise<void> {
  for (let path = folder; ; path = dirname(path)) {
    const isRemoved = await fs.promises.rmdir(path).then(
      () => true,
      () => false,
    );
    if (!isRemoved || path === first || path === dirname(path)) return;
  }
}

interface OpenBackup {
  manifest: Manifest;
  entries: AsyncGenerator<TarEntry>;
  close(): Promise<void>;
}

/** Reads the first entry, before anything is written. */
async function openBackup(file: string): Promise<OpenBackup> {
  const input = fs.createReadStream(file);
  const unzipped = createGunzip();
  input.on('error', (error) => unzipped.destroy(error));
  input.pipe(unzipped);
  const entries = readTar(unzipped);
  const close = async () => {
    input.destroy();
    unzipped.destroy();
  };
  try {
    const first = await entries.next();
    const manifest =
      !first.done && first.value.name === manifestName && first.value.size < 10_000
        ? parseManifest(await textOf(first.value), file)
        : undefined;
    if (manifest === undefined) throw notABackup(file);
    return { manifest, entries, close };
  } catch (error) {
    await close();
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new BackupFailure(`${file} does not exist`);
    if (code === 'Z_DATA_ERROR' || (error instanceof TarError && !isCut(error))) throw notABackup(file);
    throw readable(error, file);
  }
}

async function requireEmpty(dataDir: string): Promise<void> {
  const names = (await fs.promises.readdir(dataDir)).filter((name) => !ignored.test(name));
  if (names.length === 0) return;
  throw new BackupFailure(
    `${dataDir} is not empty (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}); set DATA_DIR to an empty folder, or move its files away`,
  );
}

/** Returns the names at the top level of the backup: the database first. */
async function extract(
  entries: AsyncGenerator<TarEntry>,
  draft: string,
  file: string,
  onProgress: (bytes: number) => void = () => {},
): Promise<string[]> {
  const contains = new Set([databaseFolder]);
  let bytes = 0;
  await fs.promises.mkdir(draft, { mode: 0o700 });
  for await (const { name, isFolder, body } of entries) {
    const path = join(draft, checkName(name, file));
    if (isFolder) await fs.promises.mkdir(path, { recursive: true, mode: 0o700 });
    else {
      await fs.promises.mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const counted = async function* () {
        for await (const chunk of body()) {
          bytes += chunk.length;
          onProgress(bytes);
          yield chunk;
        }
      };
      await fs.promises.writeFile(path, counted(), { mode: 0o600, flag: 'wx' });
    }
    contains.add(name.split('/')[0]!);
  }
  if (!fs.existsSync(join(draft, databaseFolder, 'PG_VERSION'))) throw notABackup(file);
  return [...contains];
}

/** Refuses names that would lead out of the folder. */
function checkName(name: string, file: string): string {
  const parts = name.replace(/\/$/, '').split('/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refused in names
  if (parts.every((part) => /^[^\\\0-\x1f]+$/.test(part) && !/^\.+$/.test(part))) return parts.join('/');
  throw notABackup(file);
}

async function textOf({ body }: TarEntry): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body()) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

const isCut = (error: Error) => error.message === 'it ends too early';

function notABackup(file: string): BackupFailure {
  return new BackupFailure(`${file} is not a backup made by session-launch backup`);
}

/** Turns errors of reading, decompressing and writing into messages for operators. */
function readable(error: unknown, file: string, dataDir = ''): Error {
  const { code, message, path } = error as NodeJS.ErrnoException;
  if (error instanceof TarError || code?.startsWith('Z_')) {
    return new BackupFailure(`${file} is damaged or incomplete (${message}); use another backup`, {
      cause: error,
    });
  }
  if (code === undefined || !/^E[A-Z]+$/.test(code)) return error as Error;
  return new BackupFailure(
    path === file || dataDir === ''
      ? `cannot read ${file} (${code})`
      : `cannot write to ${dataDir} (${code})`,
    { cause: error },
  );
}
