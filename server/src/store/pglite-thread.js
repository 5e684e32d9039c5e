// @ts-check
// The embedded engine, on a thread of its own: one message for each statement, one for its answer. Plain JavaScript, because a
// thread is started from its file, and the tests start it from the sources.
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/** @typedef {import('./pglite-client.ts').ThreadRequest} ThreadRequest */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { folder, dump, engine } = /** @type {import('./pglite-client.ts').ThreadData} */ (workerData);

/** Dates and times as PostgreSQL writes them, in the types for which the query builder wants to read them itself. */
const asWritten = Object.fromEntries(
  [1114, 1184, 1186, 1082, 1231, 1115, 1185, 1187, 1182].map((type) => [
    type,
    (/** @type {string} */ value) => value,
  ]),
);

const database = await PGlite.create({
  pgliteWasmModule: /** @type {any} */ (engine),
  ...(folder === undefined ? {} : { dataDir: folder }),
  ...(dump === undefined ? {} : { loadDataDir: new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (dump)]) }),
});

port.on('message', (/** @type {ThreadRequest} */ request) => {
  answer(request).then(
    (result) => port.postMessage({ id: request.id, result }),
    (error) => port.postMessage({ id: request.id, error: sendable(error) }),
  );
});
port.postMessage({ id: 0 });

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
  const { rows, affectedRows } = await database.query(request.text, request.values, {
    ...(request.rowMode === undefined ? {} : { rowMode: request.rowMode }),
    ...(request.asWritten ? { parsers: asWritten } : {}),
  });
  return { rows, affectedRows };
}
