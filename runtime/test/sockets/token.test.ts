import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { tokenReader } from '../../src/sockets/token.ts';
import { FakeClock } from '../harness/fake-clock.ts';

const issuer = 'https://launch.example.com';
const page = 'https://app.example.com';
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let keySet: object;
let server: ReturnType<typeof createServer>;
let isDown: boolean;
let asked: number;

beforeAll(async () => {
  keys = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'EdDSA', use: 'sig' }] };
});

beforeEach(async () => {
  [isDown, asked] = [false, 0];
  server = createServer((_request, response) => {
    asked++;
    response
      .writeHead(isDown ? 503 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(keySet));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => server.close());

function reader(clock = new FakeClock()) {
  const { port } = server.address() as AddressInfo;
  let complaints = 0;
  const read = tokenReader({
    source: { issuer, jwksUrl: `http://127.0.0.1:${port}/keys` },
    clock,
    keysUnavailable: () => {
      complaints++;
    },
  });
  return { read, clock, complaints: () => complaints };
}

function signed(changes: object = {}, key = keys.privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'ses_1', jti: 'ses_1', projectId: 'prj_a', experienceId: 'exp_a', revision: 1 };
  const meant = { iss: issuer, aud: 'session-runtime', livemode: true, iat: now, exp: now + 600 };
  return new SignJWT({ ...claims, ...meant, ...changes })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: 'k1' })
    .sign(key);
}

test('a token signed by the service yields its session', async () => {
  const { read } = reader();
  expect(await read(await signed(), undefined)).toEqual({ sessionId: 'ses_1' });
  expect(await read(await signed({ origin: page }), page)).toEqual({ sessionId: 'ses_1', origin: page });
  expect(asked).toBe(1);
});

test.each([
  ['signed with another key', async () => signed({}, (await generateKeyPair('EdDSA')).privateKey)],
  ['for another audience', () => signed({ aud: 'somebody-else' })],
  ['that expired long ago', () => signed({ exp: Math.floor(Date.now() / 1000) - 120 })],
  ['without a signature', async () => (await signed()).replace(/[^.]+$/, '')],
  ['that is malformed', async () => 'nonsense'],
])('a token %s is refused without a call to the service', async (_what, make) => {
  const { read } = reader();
  await expect(read(await make(), undefined)).rejects.toMatchObject({ closeCode: 4401 });
});

test('a token used at another origin is refused', async () => {
  const { read } = reader();
  const token = await signed({ origin: page });
  await expect(read(token, 'https://evil.example')).rejects.toMatchObject({ closeCode: 4403 });
  await expect(read(token, undefined)).rejects.toMatchObject({ closeCode: 4403 });
});

test('a token with a former issuer address, as in replays, is left to the service', async () => {
  const { read } = reader();
  const token = await signed({ iss: 'https://old.example.com', origin: page });
  expect(await read(token, page)).toEqual({ sessionId: 'ses_1', origin: page });
  await expect(read(token, 'https://evil.example')).rejects.toMatchObject({ closeCode: 4403 });
});

test('a token that has just expired is left to the service and its clock', async () => {
  const { read } = reader();
  expect(await read(await signed({ exp: Math.floor(Date.now() / 1000) - 5 }), undefined)).toEqual({
    sessionId: 'ses_1',
  });
});

test('while the keys cannot be fetched the service decides, and they are requested twice a minute', async () => {
  const { read, clock, complaints } = reader();
  const foreign = await signed({}, (await generateKeyPair('EdDSA')).privateKey);
  isDown = true;
  expect(await read(foreign, undefined)).toEqual({ sessionId: 'ses_1' });
  expect(await read(foreign, undefined)).toEqual({ sessionId: 'ses_1' });
  await expect(read(await signed({ origin: page }), undefined)).rejects.toMatchObject({ closeCode: 4403 });
  expect([asked, complaints()]).toEqual([1, 1]);
  isDown = false;
  await clock.pass(30_000);
  await expect(read(foreign, undefined)).rejects.toMatchObject({ closeCode: 4401 });
});

test('a runtime without a key source leaves every token to the service', async () => {
  const read = tokenReader({ source: undefined, clock: new FakeClock(), keysUnavailable: () => {} });
  const token = await signed({ origin: page }, (await generateKeyPair('EdDSA')).privateKey);
  expect(await read(token, page)).toEqual({ sessionId: 'ses_1', origin: page });
  await expect(read(token, 'https://evil.example')).rejects.toMatchObject({ closeCode: 4403 });
  expect(asked).toBe(0);
});
