import { hash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { hostname } from 'node:os';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from '@session-launch/process/folders';
import { whileCopyable } from './copy.ts';
import { BackupFailure, databaseFolder, manifestName, manifestText } from './manifest.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';
import { writeFailure } from './write-failure.ts';

export interface BackupRequest {
  /** Version of the program, for the manifest. */
  version: string;
  dataDir: string;
  /** Files with secrets; those in `dataDir` are included. */
  secretFiles: readonly string[];
  /** The backup; replaced if it exists. */
  file: string;
  /** Called with the total number of bytes read. */
  onProgress?: (bytes: number) => void;
}

export interface Backup {
  file: string;
  bytes: number;
  createdAt: string;
  contains: string[];
  /** Files with secrets outside the data folder, which are not in the backup. */
  leftOut: string[];
}

const chunkBytes = 256 * 1024;

/** Bytes of a backup after which they are synced to disk. */
const syncBytes = 32 * 1024 * 1024;

/**
 * Writes the database and the secrets of a data folder to one file, a compressed tar archive that only its owner can read. The file gets
 * its name when it is complete and synced.
 */
export async function createBackup(request: BackupRequest): Promise<Backup> {
  const { dataDir, file } = request;
  if (!fs.existsSync(join(dataDir, databaseFolder, 'PG_VERSION'))) {
    throw new BackupFailure(
      `${dataDir} holds no database; set DATA_DIR to the data folder of the service, or run the command in its folder`,
    );
  }
  const folder = dirname(file);
  const prefix = draftPrefix(dataDir);
  const draft = join(folder, `${prefix}${randomBytes(4).toString('hex')}.partial`);
  let unwritten: BackupFailure | undefined;
  try {
    const backup = await whileCopyable(dataDir, async (onAdvance) => {
      await removeDrafts(folder, prefix);
      const createdAt = new Date();
      const archive = new Archive((bytes) => {
        onAdvance();
        request.onProgress?.(bytes);
      });
      let bytes = 0;
      await pipeline(
        Readable.from(archive.of(request, createdAt)),
        // Level 1 is several times faster than the default, and the file is a few percent larger.
        createGzip({ level: 1 }),
        async (compressed: AsyncIterable<Buffer>) => {
          bytes = await writeSynced(draft, compressed, writing);
        },
      );
      const { contains, leftOut } = archive;
      return { file, bytes, createdAt: createdAt.toISOString(), contains, leftOut };
    });
    // Only now has the service confirmed that the copy is consistent.
    await writing(fs.promises.rename(draft, file));
    await writing(syncFolder(folder));
    return backup;
  } catch (error) {
    await fs.promises.rm(draft, { force: true }).catch(() => {});
    // `pipeline` may report only that it was aborted.
    if (unwritten !== undefined) throw unwritten;
    const { code, message } = error as NodeJS.ErrnoException;
    throw code !== undefined && /^E[A-Z]+$/.test(code) ? new BackupFailure(message, { cause: error }) : error;
  }

  /** Turns the errors of writing the file into messages for operators. */
  function writing<T>(work: Promise<T>): Promise<T> {
    return work.catch((error) => {
      unwritten ??= writeFailure(file, error);
      throw unwritten;
    });
  }
}

/**
 * The start of the names of all drafts of backups of this data folder. It does not depend on the name of the backup, which usually contains
 * the date, so that the next backup finds the draft of one that was killed.
 */
function draftPrefix(dataDir: string): string {
  return `session-launch-${hash('sha256', `${hostname()} ${fs.realpathSync(dataDir)}`).slice(0, 16)}-`;
}

/** Removes drafts of killed backups. A running backup of the same data folder is impossible: this one holds the folder. */
async function removeDrafts(folder: string, prefix: string): Promise<void> {
  const names = await fs.promises.readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !name.endsWith('.partial')) continue;
    await fs.promises.rm(join(folder, name), { force: true }).catch(() => {});
  }
}

/**
 * Writes a new file, syncs it to disk and returns its size. Syncs at intervals: a single sync of a large file could take longer than the
 * service waits for a copy that does not advance. `writing` wraps the file operations, but not the reads of the source.
 */
async function writeSynced(
  path: string,
  chunks: AsyncIterable<Buffer>,
  writing: <T>(work: Promise<T>) => Promise<T>,
): Promise<number> {
  const handle = await writing(fs.promises.open(path, 'wx', 0o600));
  try {
    let bytes = 0;
    let unsynced = 0;
    for await (const chunk of chunks) {
      await writing(handle.writeFile(chunk));
      bytes += chunk.length;
      unsynced += chunk.length;
      if (unsynced < syncBytes) continue;
      await writing(handle.datasync());
      unsynced = 0;
    }
    await writing(handle.sync());
    return bytes;
  } finally {
    await handle.close();
  }
}

/** Produces the bytes of the archive. */
class Archive {
  readonly contains = [databaseFolder];
  readonly leftOut: string[] = [];
  readonly #onProgress: (bytes: number) => void;
  #bytes = 0;

  constructor(onProgress: (bytes: number) => void) {
    this.#onProgress = onProgress;
  }

  async *of({ version, dataDir, secretFiles }: BackupRequest, createdAt: Date): AsyncGenerator<Buffer> {
    yield* text(manifestName, manifestText(version, createdAt));
    for (const path of secretFiles) {
      if (!fs.existsSync(path)) continue;
      const name = relative(dataDir, path);
      if (name.split(sep)[0] === '..' || isAbsolute(name)) this.leftOut.push(path);
      else {
        yield* this.#file(name.replaceAll(sep, '/'), path);
        this.contains.push(name);
      }
    }
    yield* this.#database(join(dataDir, databaseFolder));
    yield tarEnd;
  }

  /** pg_control, which names the checkpoint, comes first; the write-ahead log, which covers all changes since then, last. */
  async *#database(folder: string): AsyncGenerator<Buffer> {
    const named = (path: string) => `${databaseFolder}/${path}`;
    yield tarHeader(`${databaseFolder}/`, 0, { isFolder: true });
    const { folders, files } = await contentsOf(folder);
    for (const path of folders) yield tarHeader(`${named(path)}/`, 0, { isFolder: true });
    yield* this.#file(named('global/pg_control'), join(folder, 'global/pg_control'));
    for (const path of files) {
      if (path === 'global/pg_control' || isLog(path)) continue;
      yield* this.#file(named(path), join(folder, path));
    }
    const log = (await contentsOf(folder)).files.filter(isLog);
    for (const path of log.sort()) yield* this.#file(named(path), join(folder, path));
  }

  /** A file that is deleted during the copy is left out; one that is cut short is filled with zeros, as pg_basebackup does. */
  async *#file(name: string, path: string): AsyncGenerator<Buffer> {
    const handle = await fs.promises.open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (handle === undefined) return;
    try {
      const { size } = await handle.stat();
      yield tarHeader(name, size);
      for (let left = size; left > 0; ) {
        const chunk = Buffer.alloc(Math.min(left, chunkBytes));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, size - left);
        const read = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
        left -= read.length;
        this.#bytes += read.length;
        this.#onProgress(this.#bytes);
        yield read;
      }
      yield tarPadding(size);
    } finally {
      await handle.close();
    }
  }
}

function* text(name: string, content: string): Generator<Buffer> {
  const bytes = Buffer.from(content);
  yield tarHeader(name, bytes.length);
  yield bytes;
  yield tarPadding(bytes.length);
}

const isLog = (path: string) => path.startsWith('pg_wal/');

/** Relative paths with forward slashes. */
async function contentsOf(folder: string): Promise<{ folders: string[]; files: string[] }> {
  const entries = await fs.promises.readdir(folder, { withFileTypes: true, recursive: true });
  const paths = (wanted: fs.Dirent[]) =>
    wanted.map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
  return {
    folders: paths(entries.filter((entry) => entry.isDirectory())).sort(),
    files: paths(entries.filter((entry) => entry.isFile())),
  };
}
