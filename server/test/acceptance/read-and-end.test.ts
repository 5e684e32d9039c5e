import { deployedService } from '@session-launch/testing/deployment.ts';
import { untilAvailable } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  createKey,
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();
let world: World;
let stranger: World;

beforeAll(async () => {
  world = await createWorld(service, { experience: { public: true, allowedOrigins: [pageOrigin] } });
  stranger = await createWorld(service);
});

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const read = (id: string, key: string): Promise<Answer> =>
  service.call({ path: `/v1/sessions/${id}`, headers: bearer(key) });
const end = (id: string, key: string, headers = {}, body?: unknown): Promise<Answer> =>
  service.call({
    method: 'POST',
    path: `/v1/sessions/${id}/end`,
    headers: { ...bearer(key), ...headers },
    ...(body === undefined ? {} : { body }),
  });

async function minted(body: object = {}): Promise<string> {
  const answer = await mintFromServer(service, world.key, { experienceId: world.experienceId, ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.session.sessionId;
}

/** An error without its request id. */
function said(answer: Answer): object {
  const { requestId, ...error } = answer.json.error;
  expect(requestId).toMatch(/^req_/);
  const { date, 'x-request-id': id, ...headers } = answer.headers;
  expect(id).toBe(requestId);
  return { status: answer.status, error, headers: { ...headers, 'content-length': undefined } };
}

describe('GET /v1/sessions/{sessionId}', () => {
  test('shows the record of the launch, without its token', async () => {
    const launch = await mintFromServer(service, world.key, {
      experienceId: world.experienceId,
      userId: 'user-1',
      processorId: 'cpu-1',
      locale: 'pt-br',
    });
    const answer = await read(launch.json.session.sessionId, world.key);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual(launch.json.session);
    expect(answer.json).toEqual({
      sessionId: expect.stringMatching(/^ses_/),
      projectId: world.projectId,
      experienceId: world.experienceId,
      revision: 1,
      status: 'created',
      livemode: false,
      source: 'server',
      userId: 'user-1',
      processorId: 'cpu-1',
      mode: 'conversation',
      speechInputMode: 'auto',
      speechOnly: false,
      locale: 'pt-BR',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      usage: { seconds: 0 },
    });
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.text).not.toMatch(/token|eyJ/i);
  });

  test('sessions created by pages are read like any other', async () => {
    const body = { experienceId: world.experienceId };
    const browser = await mintFromBrowser(service, body);
    const fromBrowser = await read(browser.json.session.sessionId, world.key);
    expect(fromBrowser.json).toEqual(browser.json.session);
    expect(fromBrowser.json).toMatchObject({ source: 'browser', origin: pageOrigin, livemode: true });

    const manifest = await mintFromPublic(service, body);
    const fromPublic = await read(manifest.json.sessionId, world.key);
    expect(fromPublic.json).toMatchObject({ source: 'public', origin: pageOrigin, livemode: true });
  });

  test('test and live keys of the project read each other’s sessions', async () => {
    const ofTest = await minted();
    const live = await mintFromServer(service, world.liveKey, { experienceId: world.experienceId });
    const ofLive = live.json.session.sessionId;
    for (const key of [world.key, world.liveKey]) {
      expect((await read(ofTest, key)).json).toMatchObject({ sessionId: ofTest, livemode: false });
      expect((await read(ofLive, key)).json).toMatchObject({ sessionId: ofLive, livemode: true });
    }
  });

  test('needs a key with the scope sessions:read', async () => {
    const id = await minted();
    expectError(await service.call({ path: `/v1/sessions/${id}` }), 401, 'API_KEY_INVALID');
    const { key } = await createKey(service, world.projectId, {
      scopes: ['sessions:create', 'catalog:read'],
    });
    expectError(await read(id, key), 403, 'INSUFFICIENT_SCOPE');
    const { key: reader } = await createKey(service, world.projectId, { scopes: ['sessions:read'] });
    expect((await read(id, reader)).status).toBe(200);
  });

  test('checks the scope before it looks up the session', async () => {
    const { key } = await createKey(service, world.projectId, { scopes: ['catalog:read'] });
    expectError(await read('ses_nobody', key), 403, 'INSUFFICIENT_SCOPE');
  });

  test('unknown, foreign and malformed ids get the same response', async () => {
    const id = await minted();
    const unknown = await read('ses_01jzzzzzzzzzzzzzzzzzzzzzzz', stranger.key);
    expectError(unknown, 404, 'SESSION_NOT_FOUND');
    const others = [
      id,
      id.toUpperCase(),
      `${id}x`,
      'nonsense',
      'ses_',
      'exp_1',
      '%00',
      'ses_%27%3B--',
      'ses_%2Fend',
    ];
    for (const other of [...others, `ses_${'a'.repeat(65)}`, `ses_${'a'.repeat(4000)}`]) {
      expect(said(await read(other, stranger.key)), other).toEqual(said(unknown));
    }
  });

  test('HEAD answers without a body', async () => {
    const id = await minted();
    const head = await service.call({
      method: 'HEAD',
      path: `/v1/sessions/${id}`,
      headers: bearer(world.key),
    });
    expect(head).toMatchObject({ status: 200, text: '' });
  });

  test('accepts no other method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await service.call({ method, path: '/v1/sessions/ses_1', headers: bearer(world.key) });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe('GET, HEAD');
    }
  });
});

describe('POST /v1/sessions/{sessionId}/end', () => {
  test('ends a session and shows the record', async () => {
    const id = await minted();
    const before = (await read(id, world.key)).json;
    const answer = await end(id, world.key);
    expect(answer.status, answer.text).toBe(200);
    const { endedAt, ...rest } = answer.json;
    expect(rest).toEqual({ ...before, status: 'ended', endReason: 'api_request' });
    expect(endedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(before.createdAt));
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(answer.text).not.toMatch(/token|eyJ/i);
    expect((await read(id, world.key)).json).toEqual(answer.json);
  });

  test('twenty concurrent calls and a later one return the same endedAt', async () => {
    const id = await minted();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => untilAvailable(() => end(id, world.key))),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await end(id, world.liveKey)).text).toBe(answers[0]?.text);
  });

  test('sessions created by pages can be ended by the project', async () => {
    const body = { experienceId: world.experienceId };
    const browser = (await mintFromBrowser(service, body)).json.session.sessionId;
    const open = (await mintFromPublic(service, body)).json.sessionId;
    for (const id of [browser, open]) expect((await end(id, world.key)).json.status).toBe('ended');
  });

  test.each([
    ['nothing', {}, undefined],
    ['an empty body with a JSON media type', { 'Content-Type': 'application/json' }, ''],
    ['no body with a JSON media type', { 'Content-Type': 'application/json' }, undefined],
    ['an object', {}, { reason: 'done' }],
    ['broken JSON', { 'Content-Type': 'application/json' }, '{"status":'],
    ['text', { 'Content-Type': 'text/plain' }, 'bye'],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b'],
    ['text without a media type', {}, 'bye'],
    ['an invalid media type', { 'Content-Type': 'nonsense' }, 'bye'],
    ['an empty media type', { 'Content-Type': '' }, 'bye'],
    ['a megabyte', { 'Content-Type': 'application/json' }, 'x'.repeat(1_048_576)],
  ])('accepts any body: %s', async (_what, headers, body) => {
    const id = await minted();
    const answer = await end(id, world.key, headers, body);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ sessionId: id, status: 'ended' });
  });

  test('needs a key with the scope sessions:create', async () => {
    const id = await minted();
    const anonymous = await service.call({ method: 'POST', path: `/v1/sessions/${id}/end` });
    expectError(anonymous, 401, 'API_KEY_INVALID');
    const { key } = await createKey(service, world.projectId, { scopes: ['sessions:read', 'catalog:read'] });
    expectError(await end(id, key), 403, 'INSUFFICIENT_SCOPE');
    expect((await read(id, world.key)).json.status).toBe('created');
    const { key: creator } = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    expect((await end(id, creator)).status).toBe(200);
  });

  test('unknown, foreign and malformed ids get the same response, and nothing is ended', async () => {
    const id = await minted();
    const unknown = await end('ses_01jzzzzzzzzzzzzzzzzzzzzzzz', stranger.key);
    expectError(unknown, 404, 'SESSION_NOT_FOUND');
    for (const other of [id, 'nonsense', 'ses_', '%00', `ses_${'a'.repeat(4000)}`]) {
      expect(said(await end(other, stranger.key)), other).toEqual(said(unknown));
    }
    expect((await read(id, world.key)).json.status).toBe('created');
  });

  test('accepts no other method', async () => {
    const answer = await service.call({ path: '/v1/sessions/ses_1/end', headers: bearer(world.key) });
    expectError(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('POST');
  });
});
