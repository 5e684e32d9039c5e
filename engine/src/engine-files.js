// @ts-check
// File system of the embedded engine. Plain JavaScript, because it runs in the worker thread.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

const settings = [
  'fsync=on',
  // PostgreSQL then calls fsync(), which is implemented below; in PGlite, fdatasync() does nothing.
  'wal_sync_method=fsync',
  'synchronous_commit=on',
  'full_page_writes=on',
  // Keeps the log and crash recovery short. Housekeeping makes the checkpoints.
  'max_wal_size=64MB',
  'min_wal_size=32MB',
  // Rows that ANALYZE samples: 300 times this. All statements wait while it runs.
  'default_statistics_target=20',
  // initdb writes a time zone to postgresql.conf, which depends on where the database was created.
  'timezone=UTC',
  'log_timezone=UTC',
];

/** PGlite's default parameters without the one that disables `fsync`. */
export const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...settings.flatMap((setting) => ['-c', setting]),
];

/**
 * A file system whose `fsync` reaches the disk. PostgreSQL calls `fsync` in the order that makes a commit survive a power failure;
 * PGlite's own file system reports success without syncing.
 */
export class EngineFiles extends NodeFS {
  #spare;

  /**
   * The files that the engine has changed during start-up. After a crash PostgreSQL syncs every file, one after the other; the service
   * has already synced them concurrently, so only changed ones are synced again.
   * @type {Set<string> | undefined}
   */
  #changed = new Set();

  /** Files that were synced to disk. */
  #synced = 0;

  /**
   * @param {string} folder
   * @param {import('./reserve-file.js').ReserveFile} [spare]
   */
  constructor(folder, spare) {
    super(folder);
    this.#spare = spare;
  }

  /**
   * Called when the database is open. Throws if a commit is not synced to disk: the functions below replace parts of PGlite and of
   * Emscripten, and with another version of these a commit could be acknowledged before it is durable.
   * @param {Pick<PGlite, 'exec'>} database
   */
  async started(database) {
    this.#changed = undefined;
    const before = this.#synced;
    await database.exec("SELECT pg_logical_emit_message(true, 'session-launch', '')");
    if (this.#synced === before)
      throw new Error(
        'a commit was not synced to disk; the installed @electric-sql/pglite may have another version',
      );
  }

  /**
   * @override
   * @type {NodeFS['init']}
   */
  async init(pg, options) {
    const { emscriptenOpts } = await super.init(pg, options);
    emscriptenOpts.preRun?.push((module) => this.#complete(module));
    return { emscriptenOpts };
  }

  /**
   * Wraps Emscripten's file functions with the syncing that they lack.
   * @param {any} module
   */
  #complete({ NODEFS, FS }) {
    const { tryFSOperation, doSetAttr, node_ops, stream_ops } = NODEFS;
    const { mknod } = node_ops;
    const { write } = stream_ops;
    const spare = this.#spare;
    const touch = (/** @type {any} */ node) => this.#changed?.add(NODEFS.realPath(node));
    /** Folders with new directory entries that have not been synced. */
    const fresh = new Set();

    if (spare !== undefined) {
      NODEFS.tryFSOperation = (/** @type {() => unknown} */ operation) =>
        tryFSOperation(() => spare.within(operation));
    }
    // Called to truncate a file and to set its mode after creation.
    NODEFS.doSetAttr = (
      /** @type {unknown} */ target,
      /** @type {any} */ node,
      /** @type {{ mode?: number }} */ { mode, ...others },
      /** @type {unknown[]} */ ...rest
    ) => {
      touch(node);
      doSetAttr(target, node, mode === undefined ? others : { ...others, mode: ownersOnly(mode) }, ...rest);
    };
    node_ops.mknod = (
      /** @type {any} */ parent,
      /** @type {string} */ name,
      /** @type {number} */ mode,
      /** @type {number} */ device,
    ) => {
      fresh.add(NODEFS.realPath(parent));
      return mknod(parent, name, ownersOnly(mode), device);
    };
    stream_ops.write = (/** @type {any} */ stream, /** @type {unknown[]} */ ...rest) => {
      touch(stream.node);
      return write(stream, ...rest);
    };
    // A failed sync is never retried: the second call may succeed although the data was lost.
    stream_ops.fsync = (/** @type {any} */ stream) =>
      tryFSOperation(() => {
        const path = NODEFS.realPath(stream.node);
        if (FS.isDir(stream.node.mode)) {
          fs.fsyncSync(stream.nfd);
          fresh.delete(path);
        } else if (this.#changed?.has(path) !== false) {
          fs.fdatasyncSync(stream.nfd);
          this.#synced++;
          if (fresh.size > 0) syncNames(path, fresh);
        }
        return 0;
      });
  }
}

/** @param {number} mode */
function ownersOnly(mode) {
  return mode & ~0o077;
}

/**
 * PostgreSQL relies on a file's directory entry being as durable as the file. Most file systems ensure that; POSIX does not require it.
 * @param {string} path
 * @param {Set<string>} fresh
 */
function syncNames(path, fresh) {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (fresh.delete(folder)) syncFolder(folder);
  }
}

/** @param {string} folder */
function syncFolder(folder) {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
