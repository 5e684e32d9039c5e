import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  createKey,
  createWorld,
  expectError,
  mintFromServer,
  project,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();

const create = (projectId: string, wish: unknown) =>
  service.admin({ method: 'POST', path: `/admin/projects/${projectId}/keys`, body: wish });
const list = async (projectId: string) => {
  const answer = await service.admin({ path: `/admin/projects/${projectId}/keys` });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.keys;
};
const revoke = (keyId: string) => service.admin({ method: 'POST', path: `/admin/keys/${keyId}/revoke` });
const readSession = (key: string, sessionId = 'ses_unknown') =>
  service.call({ path: `/v1/sessions/${sessionId}`, headers: { Authorization: `Bearer ${key}` } });

describe('creating', () => {
  test('returns the key once, with all of its fields', async () => {
    const world = await createWorld(service);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const before = Date.now();
    const answer = await create(world.projectId, {
      mode: 'live',
      scopes: ['sessions:read', 'sessions:create'],
      name: 'Ünïcode 🗝',
      expiresAt,
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    const { key, hint, createdAt, ...rest } = answer.json;
    expect(rest).toEqual({
      keyId: expect.stringMatching(/^key_[a-z0-9]{26}$/),
      projectId: world.projectId,
      mode: 'live',
      scopes: ['sessions:read', 'sessions:create'],
      name: 'Ünïcode 🗝',
      expiresAt,
    });
    expect(key).toMatch(/^[A-Za-z0-9_-]+_live_[A-Za-z0-9]{36}$/);
    expect(hint).toBe(`${key.slice(0, -36)}…${key.slice(-4)}`);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1);

    const records = await list(world.projectId);
    expect(JSON.stringify(records)).not.toContain(key);
    expect(records).toContainEqual({ ...rest, hint, createdAt });
  });

  test('omits name and expiry if they were not sent, and deduplicates scopes', async () => {
    const world = await createWorld(service);
    const { json } = await create(world.projectId, {
      mode: 'test',
      scopes: ['catalog:read', 'catalog:read'],
    });
    expect(json.scopes).toEqual(['catalog:read']);
    expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['name']));
    expect(json).not.toHaveProperty('expiresAt');
    expect(json.key).toMatch(/_test_/);
  });

  test('the key works at once and within its scopes', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const minter = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    const reader = await createKey(service, world.projectId, { scopes: ['sessions:read'] });
    const minted = await mintFromServer(service, minter.key, body);
    expect(minted.status).toBe(201);
    expectError(await readSession(minter.key), 403, 'INSUFFICIENT_SCOPE');
    expect((await readSession(reader.key, minted.json.session.sessionId)).status).toBe(200);
    expectError(await mintFromServer(service, reader.key, body), 403, 'INSUFFICIENT_SCOPE');
  });
});

describe('refusing', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(service);
  });
  const good = { mode: 'test', scopes: ['sessions:create'] };
  const later = (ms: number) => new Date(Date.now() + ms).toISOString();

  test.each<[string, unknown, string]>([
    ['no mode', { scopes: good.scopes }, 'mode'],
    ['an unknown mode', { ...good, mode: 'prod' }, 'mode'],
    ['no scopes', { mode: 'test' }, 'scopes'],
    ['an empty list of scopes', { ...good, scopes: [] }, 'scopes'],
    ['an unknown scope', { ...good, scopes: ['sessions:create', 'sessions:delete'] }, 'scopes[1]'],
    ['a scope in another case', { ...good, scopes: ['Sessions:Create'] }, 'scopes[0]'],
    ['scopes as text', { ...good, scopes: 'sessions:create' }, 'scopes'],
    ['an empty name', { ...good, name: '' }, 'name'],
    ['a name of 201 characters', { ...good, name: 'x'.repeat(201) }, 'name'],
    ['a name with NUL', { ...good, name: 'a\0b' }, 'name'],
    ['a name that is a number', { ...good, name: 7 }, 'name'],
    ['an unknown field', { ...good, expires: '90d' }, 'expires'],
    ['a past expiry', { ...good, expiresAt: later(-60_000) }, 'expiresAt'],
    ['an expiry now', { ...good, expiresAt: later(0) }, 'expiresAt'],
    ['an expiry without time', { ...good, expiresAt: '2099-01-01' }, 'expiresAt'],
    ['an expiry without offset', { ...good, expiresAt: '2099-01-01T00:00:00' }, 'expiresAt'],
    ['a day that does not exist', { ...good, expiresAt: '2099-02-30T00:00:00Z' }, 'expiresAt'],
    ['an hour that does not exist', { ...good, expiresAt: '2099-01-01T25:00:00Z' }, 'expiresAt'],
    ['a duration as expiry', { ...good, expiresAt: '90d' }, 'expiresAt'],
    ['a number as expiry', { ...good, expiresAt: 4_000_000_000 }, 'expiresAt'],
    ['null as expiry', { ...good, expiresAt: null }, 'expiresAt'],
    ['a list', [good], ''],
    ['null', null, ''],
  ])('%s', async (_, wish, path) => {
    const answer = await create(world.projectId, wish);
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details.map((d: { path: string }) => d.path)).toContain(path);
    expect(await list(world.projectId)).toHaveLength(2);
  });

  test('lists the valid scopes in the error', async () => {
    const { json } = await create(world.projectId, { ...good, scopes: ['all'] });
    expect(json.error.message).toContain('sessions:create, sessions:read, catalog:read');
  });

  test('a body that is not JSON', async () => {
    const path = `/admin/projects/${world.projectId}/keys`;
    for (const body of [undefined, '', '{', 'mode=test', Buffer.from('{"mode":"\xe9"}', 'latin1')]) {
      expectError(
        await service.admin({ method: 'POST', path, ...(body === undefined ? {} : { body }) }),
        400,
        'INVALID_JSON',
      );
    }
  });

  test('a key for a project that does not exist', async () => {
    expectError(await create('prj_nobody', good), 404, 'PROJECT_NOT_FOUND');
    expectError(await create('nobody', good), 400, 'INVALID_REQUEST');
  });
});

describe('listing', () => {
  test('keys of this project only, oldest first', async () => {
    const [world, other] = [await createWorld(service), await createWorld(service)];
    const third = await createKey(service, world.projectId);
    const ids = (await list(world.projectId)).map((key: { keyId: string }) => key.keyId);
    expect(ids).toHaveLength(3);
    expect(ids[2]).toBe(third.keyId);
    expect(ids).not.toContain(other.keyId);
  });

  test('a project without keys has an empty list', async () => {
    const file = { project: project() };
    await service.admin({ method: 'POST', path: '/admin/projects', body: file });
    expect(await list(file.project.id)).toEqual([]);
  });

  test('shows when a key was last used', async () => {
    const world = await createWorld(service);
    const find = async () =>
      (await list(world.projectId)).find((key: { keyId: string }) => key.keyId === world.keyId);
    expect(await find()).not.toHaveProperty('lastUsedAt');
    const before = Date.now();
    await mintFromServer(service, world.key, { experienceId: world.experienceId });
    expect(Date.parse((await find()).lastUsedAt)).toBeGreaterThanOrEqual(before - 1);
  });
});

describe('revoking', () => {
  test('takes effect at once and permanently', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    expect((await mintFromServer(service, world.key, body)).status).toBe(201);
    const first = await revoke(world.keyId);
    expect(first.status, first.text).toBe(200);
    expect(first.json).toMatchObject({ keyId: world.keyId, revokedAt: expect.any(String) });
    expect(first.json).not.toHaveProperty('key');
    expectError(await mintFromServer(service, world.key, body), 401, 'API_KEY_INVALID');
    const again = await revoke(world.keyId);
    expect(again.json.revokedAt).toBe(first.json.revokedAt);
    expect(await list(world.projectId)).toContainEqual(again.json);
    expect((await mintFromServer(service, world.liveKey, body)).status).toBe(201);
  });

  test('concurrent calls agree on one revokedAt', async () => {
    const world = await createWorld(service);
    const answers = await Promise.all(Array.from({ length: 8 }, () => revoke(world.keyId)));
    expect(new Set(answers.map((answer) => answer.json.revokedAt)).size).toBe(1);
  });

  test('an unknown key, and an invalid key id', async () => {
    expectError(await revoke('key_nobody'), 404, 'KEY_NOT_FOUND');
    expectError(await revoke(`key_${'x'.repeat(65)}`), 404, 'KEY_NOT_FOUND');
    const world = await createWorld(service);
    const pasted = await revoke(world.key);
    expectError(pasted, 400, 'INVALID_REQUEST');
    expect(pasted.text).not.toContain(world.key);
    expect((await mintFromServer(service, world.key, { experienceId: world.experienceId })).status).toBe(201);
  });
});
