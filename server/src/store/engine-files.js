// @ts-check
// The files of the embedded engine. Plain JavaScript, for its thread.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

const settings = [
  'fsync=on',
  // PostgreSQL then calls fsync(), which reaches the files below; its fdatasync() reaches nothing.
  'wal_sync_method=fsync',
  'synchronous_commit=on',
  'full_page_writes=on',
  // A short log is a short recovery, and little room. Housekeeping makes the checkpoints.
  'max_wal_size=64MB',
  'min_wal_size=32MB',
];

/** PGlite's own parameters, without the one that switches `fsync` off. */
export const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...settings.flatMap((setting) => ['-c', setting]),
];

/**
 * A folder that PostgreSQL can rely on as on any other. It asks for `fsync` in the order that makes a commit outlive a power
 * cut; PGlite's folders answer that it was done and do nothing.
 */
export class EngineFiles extends NodeFS {
  #spare;

  /**
   * While it starts: the files that the engine has changed. After a crash PostgreSQL syncs every file there is, one after the
   * other. Whoever opens it has done that already, many at a time.
   * @type {Set<string> | undefined}
   */
  #changed = new Set();

  /**
   * @param {string} folder
   * @param {import('./spare-room.js').SpareRoom} [spare]
   */
  constructor(folder, spare) {
    super(folder);
    this.#spare = spare;
  }

  started() {
    this.#changed = undefined;
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
   * Emscripten's own functions, each with what it lacks.
   * @param {any} module
   */
  #complete({ NODEFS, FS }) {
    const { tryFSOperation, doSetAttr, node_ops, stream_ops } = NODEFS;
    const { mknod } = node_ops;
    const { write } = stream_ops;
    const spare = this.#spare;
    const touch = (/** @type {any} */ node) => this.#changed?.add(NODEFS.realPath(node));
    /** Folders with new names in them that no sync has covered. */
    const fresh = new Set();

    if (spare !== undefined) {
      NODEFS.tryFSOperation = (/** @type {() => unknown} */ operation) =>
        tryFSOperation(() => spare.within(operation));
    }
    // How a file is cut, and given its mode once more after it was made.
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
    // A sync that failed is never tried again: the second one may succeed without having written anything.
    stream_ops.fsync = (/** @type {any} */ stream) =>
      tryFSOperation(() => {
        const path = NODEFS.realPath(stream.node);
        if (FS.isDir(stream.node.mode)) {
          fs.fsyncSync(stream.nfd);
          fresh.delete(path);
        } else if (this.#changed?.has(path) !== false) {
          fs.fdatasyncSync(stream.nfd);
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
 * PostgreSQL counts on a file's name being as durable as the file. Most file systems see to that by themselves; POSIX does
 * not say so.
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
  // Windows has no such thing as a folder that is opened.
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
