import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { TokenSigner } from '../../src/tokens/signer.ts';
import { parseSigningKeys, type SigningKeys } from '../../src/tokens/signing-keys.ts';

let keys: SigningKeys;
let signer: TokenSigner;

beforeAll(async () => {
  const jwk = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  keys = await parseSigningKeys(JSON.stringify({ keys: [jwk(), jwk()] }), 'keys.json');
});

afterEach(() => signer.close());

/** Payloads with characters that could be mistaken for a separator. */
const payloads = (count: number) =>
  Array.from({ length: count }, (_, n) => JSON.stringify({ n, text: 'a\nb\r\n\u2028 ü 😀' }));
const inThisThread = (payload: string) => keys.current.sign(payload);

async function signAll(count: number): Promise<void> {
  const asked = payloads(count);
  const tokens = await Promise.all(asked.map((payload) => signer.sign(keys.current, payload)));
  expect(tokens).toEqual(asked.map(inThisThread));
}

/** A worker thread that runs this code instead of signing. */
const thread = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

test('single and batched payloads get the same token, each for its caller', async () => {
  signer = new TokenSigner(keys);
  for (const count of [1, 2, 3, 100, 1]) await signAll(count);
});

test('concurrent batches are signed', async () => {
  signer = new TokenSigner(keys);
  const crowds = [];
  for (let i = 0; i < 20; i++) {
    crowds.push(signAll(5 + i));
    await new Promise(setImmediate);
  }
  await Promise.all(crowds);
});

test('a batch is signed by the thread, and a single payload in the main thread', async () => {
  const upperCase = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (payloads) => parentPort.postMessage(payloads.toUpperCase()));`;
  signer = new TokenSigner(keys, undefined, thread(upperCase));
  expect(await signer.sign(keys.current, 'lone')).toBe(inThisThread('lone'));
  const crowd = ['a', 'b', 'c'].map((payload) => signer.sign(keys.current, payload));
  expect(await Promise.all(crowd)).toEqual(['A', 'B', 'C']);
});

test('a key that is not the current one can sign', async () => {
  signer = new TokenSigner(keys);
  const older = keys.all[1]!;
  const tokens = await Promise.all(payloads(5).map((payload) => signer.sign(older, payload)));
  expect(tokens).toEqual(payloads(5).map((payload) => older.sign(payload)));
});

test.each([
  ['ends at once', 'process.exit(1)'],
  ['throws', `throw new Error('no such thing')`],
  ['cannot be loaded', `import 'no-such-module'`],
  [
    'ends during a batch',
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit())`,
  ],
])('with a thread that %s, every payload is still signed', async (_, source) => {
  const reasons: string[] = [];
  signer = new TokenSigner(keys, (reason) => reasons.push(reason), thread(source));
  await signAll(10);
  await signAll(10);
  expect(reasons).toEqual([expect.any(String)]);
});

test('if no thread can be started, every payload is still signed', async () => {
  const reasons: string[] = [];
  signer = new TokenSigner(keys, (reason) => reasons.push(reason), new URL('http://nowhere.example'));
  await signAll(10);
  await signAll(10);
  expect(reasons).toEqual([expect.stringContaining('Error')]);
});

test('after close() payloads are signed in the main thread', async () => {
  const reasons: string[] = [];
  signer = new TokenSigner(keys, (reason) => reasons.push(reason));
  const inFlight = signAll(10);
  await new Promise(process.nextTick);
  await signer.close();
  await inFlight;
  await signAll(10);
  expect(reasons).toEqual([]);
});
