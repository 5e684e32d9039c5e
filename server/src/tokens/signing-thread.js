// @ts-check
// Signs tokens: one message with the payloads of many, one with the tokens.
import { parentPort, workerData } from 'node:worker_threads';
import { jwsSigner } from './ed25519.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const sign = jwsSigner(/** @type {import('./ed25519.js').KeyMaterial} */ (workerData));

// JSON on one line has no line breaks, and neither has a token.
port.on('message', (/** @type {string} */ payloads) => {
  port.postMessage(payloads.split('\n').map(sign).join('\n'));
});
