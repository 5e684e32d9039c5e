// @ts-check
// Signs tokens: receives a message with many payloads, replies with their tokens.
import { parentPort, workerData } from 'node:worker_threads';
import { jwsSigner } from './ed25519.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const sign = jwsSigner(/** @type {import('./ed25519.js').KeyMaterial} */ (workerData));

// Neither single-line JSON nor a token contains a line break, so newline separates them.
port.on('message', (/** @type {string} */ payloads) => {
  port.postMessage(payloads.split('\n').map(sign).join('\n'));
});
