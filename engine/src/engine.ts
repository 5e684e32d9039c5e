import fs from 'node:fs';
import { dirname, join } from 'node:path';
import {
  closeToOthers,
  freeBytes,
  isOpenToOthers,
  syncFolder,
  syncTree,
} from '@session-launch/process/folders';
import { StartError } from '@session-launch/process/start-error';
import { answerBackups } from './backup-requests.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { isFullDisk } from './full-disk.ts';
import { requireCompleteRestore } from './interrupted-restore.ts';
import { analyze, type MaintenanceLog, maintain } from './maintenance.ts';
import { extractNewDatabase } from './new-database.ts';
import { type ClientHooks, type ClientLimits, PgliteClient } from './pglite-client.ts';

export interface EngineHooks extends ClientHooks {
  /** Called if the folder has no database yet; creating one takes some seconds. */
  onFirstStart?(): void;
  /** Called if a backup is given up because its copy has not advanced for this many seconds. */
  onBackupStalled?(seconds: number): void;
  /** Limits of the client, for tests. */
  limits?: Partial<ClientLimits>;
}

/** A running engine: the statements go to its client. */
export interface Engine {
  readonly client: PgliteClient;
  /** Updates the planner's statistics of the tables that need it. */
  analyze(log: MaintenanceLog): Promise<void>;
  /** Analyzes, vacuums and checkpoints. Other statements wait until it is done. */
  maintain(log: MaintenanceLog): Promise<void>;
  /** Free bytes on the disk of the data folder. */
  freeBytes?(): Promise<number>;
  /** Closes the database, then releases the data folder. */
  close(): Promise<void>;
}

/** PostgreSQL (PGlite) in a worker thread of this process, on a folder that this process has locked. */
export async function openEngine(dataDir: string, hooks: EngineHooks = {}): Promise<Engine> {
  await ensureWritable(dataDir);
  const lock = await lockFolder(dataDir).catch((error) => {
    throw error instanceof StartError ? error : unusable(dataDir, error);
  });
  try {
    await requireCompleteRestore(dataDir);
    const folder = join(dataDir, 'database');
    if (await isMissing(folder)) {
      hooks.onFirstStart?.();
      await initialise(folder);
    }
    // If the folder itself is private, its contents are not reachable, so only its own mode is checked.
    if (await isOpenToOthers(folder)) await closeToOthers(folder);
    // Files that an earlier run or a restored backup left unsynced in the page cache.
    await syncTree(folder);
    const spareFile = join(dataDir, 'spare');
    const client = await PgliteClient.open({ folder, spareFile }, hooks, hooks.limits);
    return running(client, { lock, dataDir, onBackupStalled: hooks.onBackupStalled });
  } catch (error) {
    await lock.release();
    throw error instanceof StartError ? error : unopened(dataDir, error as Error);
  }
}

/** A database in memory cannot be restarted, and tests may run on a busy machine. */
const limitsInMemory = { admin: 30_000, adminAnswer: 30_000, adminAnswerIfBusy: 30_000 };

/** In memory, for tests: from the dump of a database, or empty. */
export async function openInMemory(dump?: Uint8Array): Promise<Engine> {
  return running(await PgliteClient.open(dump ? { dump } : {}, {}, limitsInMemory));
}

interface Place {
  lock: FolderLock;
  dataDir: string;
  onBackupStalled: EngineHooks['onBackupStalled'];
}

function running(client: PgliteClient, place?: Place): Engine {
  const checkpoints = { held: false };
  place?.lock.serve(answerBackups(client, checkpoints, { onStalled: place.onBackupStalled }));
  let closing: Promise<void> | undefined;
  return {
    client,
    analyze: (log) => analyze({ client, log }),
    maintain: (log) => maintain({ client, log, checkpoints }),
    ...(place === undefined ? {} : { freeBytes: () => freeBytes(place.dataDir) }),
    close: () => {
      closing ??= client.close().finally(() => place?.lock.release());
      return closing;
    },
  };
}

async function ensureWritable(dataDir: string): Promise<void> {
  try {
    await fs.promises.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await fs.promises.access(dataDir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, error: unknown): StartError {
  const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  return new StartError(
    `the data folder ${dataDir} is not writable (${reason}); change its permissions, or set DATA_DIR to another folder`,
    { cause: error },
  );
}

function unopened(dataDir: string, error: Error): StartError {
  const todo = /not synced to disk/.test(error.message)
    ? 'install the version that package.json of @session-launch/engine names'
    : isFullDisk(error)
      ? 'free space on its disk'
      : 'restore a backup, or set DATA_DIR to an empty folder';
  return new StartError(`the database in ${dataDir} cannot be opened (${error.message}); ${todo}`, {
    cause: error,
  });
}

/** Whether the folder holds no database. Throws if it holds other files, because PGlite would write its own among them. */
async function isMissing(folder: string): Promise<boolean> {
  const names = await fs.promises.readdir(folder).catch(unlessMissing<string[]>([]));
  if (names.length > 0 && !names.includes('PG_VERSION')) {
    throw new StartError(`${folder} holds files that are not a database; set DATA_DIR to another folder`);
  }
  return names.length === 0;
}

/**
 * Creates the database in a temporary folder, syncs it and renames it into place, so that a first start that is interrupted, even by a
 * power failure, leaves no partial database.
 */
async function initialise(folder: string): Promise<void> {
  const draft = `${folder}.new`;
  await fs.promises.rm(draft, { recursive: true, force: true });
  await fs.promises.mkdir(draft, { mode: 0o700 });
  await extractNewDatabase(draft);
  const client = await PgliteClient.open({ folder: draft, isUnsynced: true });
  await removeTemplates(client);
  await client.close();
  // PGlite creates world-writable files.
  await closeToOthers(draft);
  await syncTree(draft);
  await fs.promises.rmdir(folder).catch(unlessMissing(undefined));
  await fs.promises.rename(draft, folder);
  await syncFolder(dirname(folder));
}

/**
 * Drops the template databases. They are two thirds of the files, and a database that is never vacuumed would hold back the transaction
 * horizon of the whole cluster.
 */
async function removeTemplates(client: PgliteClient): Promise<void> {
  await client.query("UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template_'");
  for (const name of ['template0', 'template1']) await client.query(`DROP DATABASE ${name}`);
}

function unlessMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
