// @ts-check
// The embedded engine, on a thread of its own: one message for each statement, one for its answer. Plain JavaScript, because a
// thread is started from its file, and the tests start it from the sources.
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { EngineFiles, startParams } from './engine-files.js';
import { SpareRoom } from './spare-room.js';

/** @typedef {import('./pglite-client.ts').ThreadRequest} ThreadRequest */
/** @typedef {import('./pglite-client.ts').ThreadMessage} ThreadMessage */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { folder, spareFile, dump, engine } = /** @type {import('./pglite-client.ts').ThreadData} */ (
  workerData
);
const post = (/** @type {ThreadMessage} */ message) => port.postMessage(message);

/** Dates and times as PostgreSQL writes them, in the types for which the query builder wants to read them itself. */
const asWritten = Object.fromEntries(
  [1114, 1184, 1186, 1082, 1231, 1115, 1185, 1187, 1182].map((type) => [
    type,
    (/** @type {string} */ value) => value,
  ]),
);

/** The last words of a PostgreSQL that ends. */
let lastWords = '';
const spare = spareFile === undefined ? undefined : new SpareRoom(spareFile);
const files = folder === undefined ? undefined : new EngineFiles(folder, spare);
const database = await PGlite.create({
  pgliteWasmModule: /** @type {any} */ (engine),
  ...(files === undefined ? {} : { fs: files, startParams }),
  ...(dump === undefined ? {} : { loadDataDir: new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (dump)]) }),
  onStderr: (line) => {
    lastWords = /(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1] ?? lastWords;
    return false;
  },
}).catch((error) => {
  throw lastWords === '' ? error : new Error(lastWords);
});
files?.started();
endWithTheEngine(database.Module);

let isReadOnly = false;
/** One request at a time, in the order in which they came. */
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
    // A disk that cannot be looked at is looked at again.
    if (!spare.held) last = last.then(() => void spare.renew()).catch(() => undefined);
  }, 1_000).unref();
}
post({ id: 0 });

/**
 * What PGlite does not expect, it takes for an error of the statement, and would go on with an engine that is broken. The error
 * that it does expect is the exit by which PostgreSQL reports that a statement failed.
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
        post({ ended: lastWords || String(message) });
        process.exit(1);
      }
      throw error;
    }
  };
}

/**
 * What PostgreSQL says of an error (code, severity, constraint and so on) is text; what else PGlite adds cannot be sent.
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
  await keepToTheRoom();
  const { rows, affectedRows } = await database.query(request.text, request.values, {
    ...(request.rowMode === undefined ? {} : { rowMode: request.rowMode }),
    ...(request.asWritten ? { parsers: asWritten } : {}),
  });
  return { rows, affectedRows };
}

/**
 * Nothing is recorded while the spare room is gone; reads go on. Changed between transactions only: one that is rolled back
 * would take the setting with it.
 */
async function keepToTheRoom() {
  const isFull = spare?.held === false;
  if (isFull === isReadOnly || database.isInTransaction()) return;
  await database.exec(`SET default_transaction_read_only = ${isFull ? 'on' : 'off'}`);
  isReadOnly = isFull;
  post({ full: isFull });
}
