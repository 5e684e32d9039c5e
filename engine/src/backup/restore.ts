import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { syncFolder, syncTree } from '@session-launch/process/folders';
import { lockFolder } from '../folder-lock.ts';
import { restoreDraft } from '../interrupted-restore.ts';
import { BackupFailure, databaseFolder, type Manifest, manifestName, parseManifest } from './manifest.ts';
import { readTar, type TarEntry, TarError } from './tar.ts';
import { writeFailure } from './write-failure.ts';

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
const ignored = new RegExp(`^(lock(\\..*)?|${restoreDraft.replace('.', '\\.')}|lost\\+found)$`);

/** The parts of a draft: the extracted files, and the list of those that are moved into place. */
const partsOf = (dataDir: string) => ({
  draft: join(dataDir, restoreDraft),
  files: join(dataDir, restoreDraft, 'files'),
  list: join(dataDir, restoreDraft, 'names.json'),
});

/**
 * Restores a backup into a data folder that does not exist or is empty. If it fails, nothing has changed. If it is killed, the folder
 * contains a draft, with which the service does not start; the next restore removes the draft and the files that were moved from it.
 */
export async function restoreBackup({ file, dataDir, onProgress }: RestoreRequest): Promise<Restored> {
  const source = await openBackup(file);
  const made = await fs.promises.mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new BackupFailure(`cannot create ${dataDir} (${error.code})`, { cause: error });
  });
  let isDone = false;
  try {
    const lock = await lockFolder(dataDir);
    try {
      await removeRemains(dataDir, await requireEmpty(dataDir));
      const contains = await fill(dataDir, (folder) => extract(source.entries, folder, file, onProgress));
      isDone = true;
      return { dataDir, ...source.manifest, contains };
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw readable(error, file, dataDir);
  } finally {
    await source.close();
    if (!isDone && made !== undefined) await removeEmpty(dataDir, made);
  }
}

/** Names at the top level of a backup: the database, and others. */
type Names = [string, ...string[]];

/** Calls `unpack` with a folder in the draft, syncs what it has written, and moves it into place. */
async function fill(dataDir: string, unpack: (folder: string) => Promise<Names>): Promise<Names> {
  const { draft, files, list } = partsOf(dataDir);
  const moved: string[] = [];
  const move = async (name: string) => {
    await fs.promises.rename(join(files, name), join(dataDir, name));
    moved.unshift(join(dataDir, name));
  };
  try {
    const [database, ...others] = await unpack(files);
    await fs.promises.writeFile(list, JSON.stringify(others), { mode: 0o600 });
    await syncTree(draft);
    for (const name of others) await move(name);
    await syncFolder(dataDir);
    // Last, and after the others are on disk: a folder with a database counts as restored.
    await move(database);
    await syncFolder(dataDir);
    return [database, ...others];
  } catch (error) {
    for (const path of moved) await fs.promises.rm(path, { recursive: true, force: true });
    throw error;
  } finally {
    await fs.promises.rm(draft, { recursive: true, force: true });
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

/** Throws if the folder holds files. Returns those that an interrupted restore has moved into place. */
async function requireEmpty(dataDir: string): Promise<string[]> {
  const remains = await movedBefore(dataDir);
  const names = (await fs.promises.readdir(dataDir)).filter(
    (name) => !ignored.test(name) && !remains.includes(name),
  );
  if (names.length === 0) return remains;
  throw new BackupFailure(
    `${dataDir} is not empty (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}); set DATA_DIR to an empty folder, or move its files away`,
  );
}

/** What an interrupted restore has moved out of its draft. The list is complete before anything is moved. */
async function movedBefore(dataDir: string): Promise<string[]> {
  if (fs.existsSync(join(dataDir, databaseFolder))) return [];
  const { files, list } = partsOf(dataDir);
  const text = await fs.promises.readFile(list, 'utf8').catch(() => '[]');
  let names: string[];
  try {
    names = JSON.parse(text);
  } catch {
    return [];
  }
  return names.filter((name) => !fs.existsSync(join(files, name)));
}

/** Keeps the folder of the draft, so that the service does not start if this restore is killed as well. */
async function removeRemains(dataDir: string, moved: string[]): Promise<void> {
  const { draft, files, list } = partsOf(dataDir);
  for (const path of [...moved.map((name) => join(dataDir, name)), list, files]) {
    await fs.promises.rm(path, { recursive: true, force: true });
  }
  await fs.promises.mkdir(draft, { recursive: true, mode: 0o700 });
}

async function extract(
  entries: AsyncGenerator<TarEntry>,
  folder: string,
  file: string,
  onProgress: (bytes: number) => void = () => {},
): Promise<Names> {
  const contains = new Set<string>();
  let bytes = 0;
  await fs.promises.mkdir(folder, { mode: 0o700 });
  for await (const { name, isFolder, body } of entries) {
    const path = join(folder, checkName(name, file));
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
  if (!fs.existsSync(join(folder, databaseFolder, 'PG_VERSION'))) throw notABackup(file);
  contains.delete(databaseFolder);
  return [databaseFolder, ...contains];
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
  return path === file || dataDir === ''
    ? new BackupFailure(`cannot read ${file} (${code})`, { cause: error })
    : writeFailure(dataDir, error as NodeJS.ErrnoException);
}
