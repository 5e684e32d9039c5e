import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, expectError, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { askAdmin } from '../harness/ask-admin.ts';

import {
  browserEndpoint,
  launch,
  mintAt,
  openWorld,
  publicEndpoint,
  recordOf,
  serverEndpoint,
} from './mint-endpoints.ts';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await openWorld(service);
});

const mint = (metadata: unknown, headers: Record<string, string> = {}) =>
  mintFromServer(service, world.key, { experienceId: world.experienceId, metadata }, headers);

describe('metadata of a server mint', () => {
  test.each<[string, Record<string, string>]>([
    ['an empty object', {}],
    ['a name of 40 characters and a text of 500', { ['n'.repeat(40)]: 'v'.repeat(500) }],
    ['20 fields', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`field ${n}`, '']))],
    ['non-ASCII characters, counted as code points', { ['🚢'.repeat(40)]: '⚓'.repeat(500) }],
    ['names of Object properties', JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}')],
  ])('is stored and returned with the session as it was sent: %s', async (_, metadata) => {
    const answer = await mint(metadata);
    expect(answer.status, answer.text).toBe(201);
    const text = JSON.stringify(metadata);
    expect(JSON.stringify(answer.json.session.metadata)).toBe(text);
    const { sessionId } = answer.json.session;
    const headers = { Authorization: `Bearer ${world.key}` };
    const read = await service.call({ path: `/v1/sessions/${sessionId}`, headers });
    expect(JSON.stringify(read.json.metadata)).toBe(text);
    const ended = await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
    expect(JSON.stringify(ended.json.metadata)).toBe(text);
  });

  test('is absent when none was sent', async () => {
    const { session } = await launch(service, serverEndpoint, world);
    expect(session).not.toHaveProperty('metadata');
  });

  test('is never part of the manifest', async () => {
    const { json } = await mint({ 'a-planted-name': 'a planted text' });
    expect(JSON.stringify(json.launch)).not.toMatch(/metadata|planted/);
  });

  test('is part of the body: a retry replays it, another value conflicts', async () => {
    const under = { 'Idempotency-Key': `metadata ${world.experienceId}` };
    const first = await mint({ order: '1' }, under);
    expect(first.status, first.text).toBe(201);
    const again = await mint({ order: '1' }, under);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    expectError(await mint({ order: '2' }, under), 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('is shown in the operators’ list', async () => {
    const own = await createWorld(service);
    await mintFromServer(service, own.key, { experienceId: own.experienceId, metadata: { order: '7' } });
    const json = await askAdmin(service, 'GET /admin/projects/{projectId}/sessions', {
      params: { projectId: own.projectId },
    });
    expect(json.sessions).toMatchObject([{ metadata: { order: '7' } }]);
  });

  test.each<[string, unknown, string, RegExp]>([
    ['null', null, 'metadata', /must be an object/],
    ['a text', 'order=1', 'metadata', /must be an object/],
    ['a list', ['order'], 'metadata', /must be an object/],
    [
      '21 fields',
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, ''])),
      'metadata',
      /at most 20 fields/,
    ],
    ['an empty name', { '': 'x' }, 'metadata', /1 to 40 characters/],
    ['a name of 41 characters', { ['n'.repeat(41)]: 'x' }, 'metadata', /1 to 40 characters/],
    ['a number', { order: 4711 }, 'metadata.order', /must be a string/],
    ['null as a value', { order: null }, 'metadata.order', /must be a string/],
    ['an object as a value', { order: {} }, 'metadata.order', /must be a string/],
    ['a text of 501 characters', { order: 'x'.repeat(501) }, 'metadata.order', /at most 500 characters/],
  ])('is refused with 400 INVALID_REQUEST when it is invalid: %s', async (_, metadata, path, message) => {
    const answer = await mint(metadata);
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});

describe.each([browserEndpoint, publicEndpoint])('at $path', (endpoint) => {
  test.each<[string, unknown]>([
    ['right', { order: '1' }],
    ['wrong', 7],
  ])('metadata is ignored, even as %s', async (_, metadata) => {
    const launched = await launch(service, endpoint, world, { metadata });
    expect(launched.answer.text).not.toContain('metadata');
    expect(await recordOf(service, world, launched)).not.toHaveProperty('metadata');
  });

  test('metadata counts as part of the body of an Idempotency-Key', async () => {
    if (endpoint === publicEndpoint) return;
    const under = { 'Idempotency-Key': `at an endpoint ${world.experienceId}` };
    const body = { experienceId: world.experienceId };
    expect((await mintAt(service, endpoint, world, { ...body, metadata: 1 }, under)).status).toBe(201);
    expectError(
      await mintAt(service, endpoint, world, { ...body, metadata: 2 }, under),
      409,
      'IDEMPOTENCY_CONFLICT',
    );
  });
});
