import { createHash } from 'node:crypto';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer, Call } from '@session-launch/testing/http.ts';
import { createKey, expectError, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { openWorld, sharedWorld } from '../mint-endpoints.ts';

const service = deployedService();

function mint(world: World, call: Partial<Call>): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: '/v1/sessions',
    body: { experienceId: world.experienceId },
    ...call,
  });
}

const bearer = (key: string): Partial<Call> => ({ headers: { Authorization: `Bearer ${key}` } });

/** Replaces the character at `index` with another one. */
function altered(key: string, index: number): string {
  const at = index < 0 ? key.length + index : index;
  return `${key.slice(0, at)}${key[at] === 'A' ? 'B' : 'A'}${key.slice(at + 1)}`;
}

async function revoked(world: World): Promise<string> {
  const { key, keyId } = await createKey(service, world.projectId);
  const answer = await service.admin({ method: 'POST', path: `/admin/keys/${keyId}/revoke` });
  expect(answer.status).toBe(200);
  return key;
}

/** The checksum at the end of a key: 48 bits of a SHA-256 as six base-62 digits, least significant first. */
function checksum(head: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const bits = createHash('sha256').update(head).digest().readUIntBE(0, 6);
  return Array.from({ length: 6 }, (_, n) => digits[Math.floor(bits / 62 ** n) % 62]).join('');
}

/** A valid key that does not exist. */
function unknown({ key }: World): string {
  expect(checksum(key.slice(0, -6)), 'of a key that is known').toBe(key.slice(-6));
  const head = altered(key.slice(0, -6), -1);
  return head + checksum(head);
}

const unusable: [string, (world: World) => Partial<Call> | Promise<Partial<Call>>][] = [
  ['no Authorization header', () => ({})],
  ['an empty Authorization header', () => ({ headers: { Authorization: '' } })],
  ['a scheme without a key', () => ({ headers: { Authorization: 'Bearer' } })],
  ['a key without a scheme', (world) => ({ headers: { Authorization: world.key } })],
  ['the scheme Basic', (world) => ({ headers: { Authorization: `Basic ${world.key}` } })],
  [
    'the key as a Basic user name',
    (world) => ({ headers: { Authorization: `Basic ${Buffer.from(`${world.key}:`).toString('base64')}` } }),
  ],
  ['a scheme that starts with Bearer', (world) => ({ headers: { Authorization: `Bearers ${world.key}` } })],
  ['a text that is not a key', () => bearer('secret')],
  ['a wrong checksum', (world) => bearer(altered(world.key, -1))],
  ['a wrong secret', (world) => bearer(altered(world.key, 12))],
  ['a test key with the prefix of a live key', (world) => bearer(world.key.replace('_test_', '_live_'))],
  ['a shortened key', (world) => bearer(world.key.slice(0, -1))],
  ['a key with extra characters', (world) => bearer(`${world.key}A`)],
  ['two keys in one header', (world) => bearer(`${world.key}, ${world.liveKey}`)],
  ['a key of zeros', () => bearer(`sl_test_${'0'.repeat(36)}`)],
  ['an unknown key with a valid checksum', (world) => bearer(unknown(world))],
  ['the id of a key', (world) => bearer(world.keyId)],
  ['a very long key', () => bearer('a'.repeat(8_000))],
  ['a key with a NUL in it', () => bearer('sl_test_%00')],
  ['a revoked key', async (world) => bearer(await revoked(world))],
  ['a key in the query', (world) => ({ path: `/v1/sessions?api_key=${world.key}&key=${world.key}` })],
  [
    'a key in the body',
    (world) => ({
      body: { experienceId: world.experienceId, apiKey: world.key, authorization: `Bearer ${world.key}` },
    }),
  ],
  ['a key in another header', (world) => ({ headers: { 'X-API-Key': world.key } })],
  ['a key in a cookie', (world) => ({ headers: { Cookie: `Authorization=Bearer ${world.key}` } })],
  ['a session token', async (world) => bearer(await sessionToken(world))],
];

async function sessionToken(world: World): Promise<string> {
  const answer = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  return answer.json.launch.sessionToken;
}

/** A response without the fields that differ per request. */
function comparable({ status, headers, json }: Answer): unknown {
  const { requestId: _id, ...error } = json.error;
  const { date: _date, 'x-request-id': _header, ...others } = headers;
  return { status, headers: others, error };
}

describe('one identical response for every unusable key', () => {
  test.each(unusable)('%s', async (_name, wrong) => {
    const world = await sharedWorld(service);
    const answer = await mint(world, await wrong(world));
    expectError(answer, 401, 'API_KEY_INVALID');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(comparable(answer)).toEqual(comparable(await mint(world, {})));
  });
});

test('a revocation takes effect at once', async () => {
  const world = await openWorld(service);
  expect((await mint(world, bearer(world.key))).status).toBe(201);
  await service.admin({ method: 'POST', path: `/admin/keys/${world.keyId}/revoke` });
  expectError(await mint(world, bearer(world.key)), 401, 'API_KEY_INVALID');
});

test('a new key works at once, also after it was unknown', async () => {
  const world = await sharedWorld(service);
  const { key } = await createKey(service, world.projectId);
  expect((await mint(world, bearer(key))).status).toBe(201);
  expect((await mint(world, bearer(world.liveKey))).status).toBe(201);
});

test('revoking one key does not affect the others', async () => {
  const world = await openWorld(service);
  await service.admin({ method: 'POST', path: `/admin/keys/${world.keyId}/revoke` });
  expect((await mint(world, bearer(world.liveKey))).status).toBe(201);
});

test('an error does not quote the key', async () => {
  const world = await sharedWorld(service);
  const answer = await mint(world, bearer(altered(world.key, -1)));
  expect(answer.text).not.toContain(world.key.slice(8, 20));
});
