// @ts-check
// Entry point of the worker thread for documents. Plain JavaScript, because tests start it from the sources.
import { parentPort } from 'node:worker_threads';
import { replyTo } from './file-tasks.ts';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);

port.on('message', (task) => port.postMessage(replyTo(task)));
