// @ts-check
// Worker thread of the embedded engine: one message per statement, one per result. Plain JavaScript, because a worker thread is started
// from its file and tests start it from the sources.
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { EngineFiles, startParams } from './engine-files.js';
import { ReserveFile } from './reserve-file.js';

/** @typedef {import('./engine-thread.ts').ThreadRequest} ThreadRequest */
/** @typedef {import('./engine-thread.ts').ThreadMessage} ThreadMessage */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { folder, spareFile, isUnsynced, dump, engine } =
  /** @type {import('./engine-thread.ts').ThreadData} */ (workerData);
const post = (/** @type {ThreadMessage} */ message) => port.postMessage(message);

/** The last log lines of a PostgreSQL that exits. */
let lastFatalLine = '';
const spare = spareFile === undefined ? undefined : new ReserveFile(spareFile);
const files = folder === undefined ? undefined : new EngineFiles(folder, spare);
const database = await PGlite.create({
  pgliteWasmModule: /** @type {any} */ (engine),
  ...(files === undefined
    ? {}
    : { fs: files, startParams: isUnsynced ? [...startParams, '-F'] : startParams }),
  ...(dump === undefined ? {} : { loadDataDir: new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (dump)]) }),
  onStderr: (line) => {
    lastFatalLine = /(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1] ?? lastFatalLine;
    return false;
  },
}).catch((error) => {
  throw new Error(lastFatalLine || reasonOf(error));
});
if (!isUnsynced) await files?.started(database);
endWithTheEngine(database.Module);

let isReadOnly = false;
/** Processes one request at a time, in order. */
let last = Promise.resolve();
port.on('message', (/** @type {ThreadRequest} */ request) => {
  last = last
    .then(() => answer(request))
    .then(
      (result) => post({ id: request.id, result }),
      (error) => post({ id: request.id, error: sendable(error) }),
    );
});
if (spare !== undefined) {
  setInterval(() => {
    // If the free space cannot be read, the next check tries again.
    if (!spare.held) last = last.then(() => void spare.renew()).catch(() => undefined);
  }, 1_000).unref();
}
post({ id: 0 });

/**
 * An error of Emscripten's file system has no message, only WASI's error number.
 * @param {any} error
 */
function reasonOf(error) {
  if (error?.errno === 51) return 'No space left on device';
  return error?.message ?? `${error?.name} ${error?.errno}`;
}

/**
 * PGlite treats an unexpected exception as a failed statement and would continue with a broken engine. The only expected one is the exit
 * by which PostgreSQL reports a failed statement; any other ends the engine.
 * @param {any} module
 */
function endWithTheEngine(module) {
  const step = module._PostgresMainLoopOnce;
  module._PostgresMainLoopOnce = () => {
    try {
      step();
    } catch (error) {
      const { status, message } = /** @type {{ status?: number, message?: string }} */ (error);
      if (status !== 100) {
        post({ ended: lastFatalLine || String(message) });
        process.exit(1);
      }
      throw error;
    }
  };
}

/**
 * Copies the text fields of a PostgreSQL error (code, severity, constraint and so on); other fields that PGlite adds cannot be posted.
 * @param {unknown} error
 */
function sendable(error) {
  if (!(error instanceof Error)) return { message: String(error) };
  const texts = Object.entries(error).filter(([, value]) => typeof value === 'string');
  return { ...Object.fromEntries(texts), message: error.message };
}

/** @param {ThreadRequest} request */
async function answer(request) {
  if (request.kind === 'close') return database.close();
  if (request.kind === 'dump')
    return new Uint8Array(await (await database.dumpDataDir('none')).arrayBuffer());
  await followFreeSpace();
  const { rows } = await database.query(request.text, request.values);
  return { rows };
}

/**
 * Makes the database read-only while the reserve file is missing. Changed between transactions only, because a rollback would revert the
 * setting.
 */
async function followFreeSpace() {
  const isFull = spare?.held === false;
  if (isFull === isReadOnly || database.isInTransaction()) return;
  await database.exec(`SET default_transaction_read_only = ${isFull ? 'on' : 'off'}`);
  isReadOnly = isFull;
  post({ full: isFull });
}
