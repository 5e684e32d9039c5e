import { deployedService } from '@session-launch/testing/deployment.ts';
import { createWorld, experience, sessionsOf, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  IdempotencyError,
  InvalidRequestError,
  isLaunchError,
  NotFoundError,
  PermissionError,
  SessionLaunch,
} from '../src/index.ts';

const service = deployedService();
let world: World;
let client: SessionLaunch;

beforeAll(async () => {
  world = await createWorld(service, {
    experiences: [
      experience({ sortOrder: 1, title: 'First' }),
      experience({ sortOrder: 2, title: 'Second' }),
    ],
  });
  client = new SessionLaunch({ baseUrl: `${service.url}/`, apiKey: `${world.key}\n` });
});

describe('sessions', () => {
  test('a mint returns session, launch and request id', async () => {
    const minted = await client.sessions.mint({
      experienceId: world.experienceId,
      userId: 'user-1',
      locale: 'EN-us',
    });
    expect(minted.session).toMatchObject({ userId: 'user-1', locale: 'en-US', source: 'server' });
    expect(minted.launch.sessionId).toBe(minted.session.sessionId);
    expect(minted.launch.sessionToken).toMatch(/^eyJ/);
    expect(minted.replayed).toBe(false);
    expect(minted.requestId).toMatch(/^req_/);
  });

  test('each mint creates a session, and the same key and body return the same launch', async () => {
    const request = { experienceId: world.experienceId };
    const first = await client.sessions.mint(request, { idempotencyKey: 'order 1' });
    const again = await client.sessions.mint(request, { idempotencyKey: 'order 1' });
    const other = await client.sessions.mint(request);
    expect(again).toEqual({ ...first, replayed: true, requestId: again.requestId });
    expect(other.session.sessionId).not.toBe(first.session.sessionId);
  });

  test('can be read and ended, and a repeated end returns the same record', async () => {
    const { session } = await client.sessions.mint({ experienceId: world.experienceId });
    expect(await client.sessions.get(session.sessionId)).toMatchObject({ status: 'created' });
    const ended = await client.sessions.end(session.sessionId);
    expect(ended).toMatchObject({ sessionId: session.sessionId, status: 'ended' });
    expect(await client.sessions.end(session.sessionId)).toEqual(ended);
  });

  test('the API key may come from a function, which is called for every request', async () => {
    let asked = 0;
    const apiKey = async () => {
      asked++;
      return world.key;
    };
    const other = new SessionLaunch({ baseUrl: service.url, apiKey });
    await other.sessions.mint({ experienceId: world.experienceId });
    await other.experiences.list(world.projectId);
    expect(asked).toBe(2);
  });
});

describe('experiences', () => {
  test('are listed in catalog order, and can be read by slug', async () => {
    const { experiences, etag, notModified } = await client.experiences.list(world.projectId);
    expect(experiences.map(({ title }) => title)).toEqual(['First', 'Second']);
    expect(etag).toMatch(/^"/);
    expect(notModified).toBe(false);
    const slug = experiences[1]?.slug ?? '';
    expect(await client.experiences.bySlug(world.projectId, slug)).toEqual(experiences[1]);
  });

  test('with a current ETag only notModified is returned', async () => {
    const { etag } = await client.experiences.list(world.projectId);
    expect(await client.experiences.list(world.projectId, { etag })).toEqual({
      experiences: [],
      etag,
      notModified: true,
    });
    expect(await client.experiences.list(world.projectId, { etag: '"old"' })).toMatchObject({
      notModified: false,
    });
  });
});

describe('an error has its class, code, status and request id', () => {
  const refused = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (reason) => reason,
    );
    expect(isLaunchError(error)).toBe(true);
    expect(error).toMatchObject({ attempts: 1, retryable: false, requestId: expect.stringMatching(/^req_/) });
    return error;
  };

  test('400, with details', async () => {
    const error = await refused(client.sessions.mint({ experienceId: world.experienceId, locale: 'en_US' }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 400, details: [{ path: 'locale' }] });
  });

  test('401', async () => {
    const stranger = new SessionLaunch({ baseUrl: service.url, apiKey: 'sl_test_nobody' });
    const error = await refused(stranger.sessions.mint({ experienceId: world.experienceId }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'API_KEY_INVALID', status: 401 });
  });

  test('403', async () => {
    const error = await refused(client.experiences.list('prj_other'));
    expect(error).toBeInstanceOf(PermissionError);
    expect(error).toMatchObject({ code: 'PROJECT_FORBIDDEN', status: 403 });
  });

  test('404', async () => {
    const error = await refused(client.sessions.get('ses_../x?y#z'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND', status: 404 });
  });

  test('409', async () => {
    await client.sessions.mint({ experienceId: world.experienceId }, { idempotencyKey: 'taken' });
    const other = { experienceId: world.experienceId, userId: 'someone' };
    const error = await refused(client.sessions.mint(other, { idempotencyKey: 'taken' }));
    expect(error).toBeInstanceOf(IdempotencyError);
    expect(error).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', status: 409 });
  });
});

describe('rejects before sending', () => {
  test.each(['', 'ü', 'a'.repeat(257), 'a\nb'])(
    'an idempotency key that cannot be sent in a header, %j',
    async (key) => {
      const before = await sessionsOf(service, world.projectId);
      const minting = client.sessions.mint({ experienceId: world.experienceId }, { idempotencyKey: key });
      await expect(minting).rejects.toMatchObject({
        name: 'InvalidRequestError',
        code: 'IDEMPOTENCY_KEY_INVALID',
        attempts: 0,
      });
      expect(await sessionsOf(service, world.projectId)).toHaveLength(before.length);
    },
  );

  test.each(['', '.', '..'])('an id that would change the URL, %j', async (id) => {
    await expect(client.sessions.end(id)).rejects.toThrow(TypeError);
    await expect(client.experiences.bySlug(world.projectId, id)).rejects.toThrow(TypeError);
  });

  test.each([
    '',
    'launch.example.com',
    'ftp://launch.example.com',
    'https://a:b@launch.example.com',
    'https://x/?y',
  ])('the base URL %j', (baseUrl) => {
    expect(() => new SessionLaunch({ baseUrl, apiKey: 'sl_test_a' })).toThrow(/baseUrl/);
  });

  test('invalid numbers', () => {
    const options = { baseUrl: service.url, apiKey: 'sl_test_a' };
    expect(() => new SessionLaunch({ ...options, timeoutMs: 0 })).toThrow(/timeoutMs/);
    expect(() => new SessionLaunch({ ...options, maxRetries: Number.NaN })).toThrow(/maxRetries/);
  });
});

test('the constructor throws in a browser, where the key would be public', () => {
  Object.assign(globalThis, { document: {} });
  try {
    expect(() => new SessionLaunch({ baseUrl: service.url, apiKey: world.key })).toThrow(/backends/);
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});
