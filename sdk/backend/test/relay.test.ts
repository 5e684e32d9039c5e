import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { createWorld, experience, sessionsOf, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { createRelay, SessionLaunch } from '../src/index.ts';
import { failure, nobody, scriptedServer } from './scripted-server.ts';
import { signedIn, startSite } from './site.ts';

const service = deployedService();
let world: World;
let client: SessionLaunch;
const events: object[] = [];

beforeAll(async () => {
  world = await createWorld(service);
  client = clientOf(service.url, world.key);
});

function clientOf(baseUrl: string, apiKey: string): SessionLaunch {
  return new SessionLaunch({ baseUrl, apiKey, maxRetryWaitMs: 1, log: (event) => events.push(event) });
}

const site = (options = {}) => startSite(client, { authorize: signedIn, ...options });
const body = () => ({ experienceId: world.experienceId });

function expectRefusal(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json.error?.code }, answer.text).toEqual({ status, code });
  expect(answer.json.error.requestId).toMatch(/^req_/);
  expect(answer.headers['x-request-id']).toBe(answer.json.error.requestId);
  expect(answer.headers['cache-control']).toBe('no-store, private');
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
}

async function session(answer: Answer) {
  expect(answer.status, answer.text).toBe(200);
  return client.sessions.get(answer.json.sessionId);
}

describe('a launch', () => {
  test('returns the bare manifest, which may not be cached or read by other sites', async () => {
    const answer = await (await site()).mint(body());
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ schemaVersion: 1, experience: { experienceId: world.experienceId } });
    expect(answer.json.sessionToken).toMatch(/^eyJ/);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(await session(answer)).toMatchObject({ userId: 'ann', source: 'server' });
  });

  test('uses the fields that a page may set, and takes the other fields from the grant', async () => {
    const { mint } = await site({
      authorize: () => ({ userId: 'ann', fields: { metadata: { plan: 'gold' }, mode: 'presenter' } }),
    });
    const answer = await mint({
      ...body(),
      locale: 'pt-BR',
      mode: 'conversation',
      processorId: 'mine',
      metadata: { plan: 'free' },
    });
    const minted = await session(answer);
    expect(minted).toMatchObject({ locale: 'pt-BR', mode: 'presenter', metadata: { plan: 'gold' } });
    expect(minted.processorId).toBeUndefined();
  });

  test('ignores fields that the application does not accept', async () => {
    const { mint } = await site({ pageMaySet: ['speechOnly'] });
    const answer = await mint({ ...body(), locale: 'pt-BR', speechOnly: true });
    expect(await session(answer)).toMatchObject({ locale: 'en', speechOnly: true });
  });

  test('the learning language of a grant overrides both field names of the page', async () => {
    const { mint } = await site({ authorize: () => ({ userId: 'ann', fields: { secondaryLocale: 'fr' } }) });
    expect(await session(await mint({ ...body(), learningLocale: 'es' }))).toMatchObject({ locale: 'fr' });
  });
});

describe('the origin of a request', () => {
  test.each([
    [
      'the same origin, by Sec-Fetch-Site',
      { Origin: 'https://behind-a-proxy.example', 'Sec-Fetch-Site': 'same-origin' },
    ],
    ['a listed origin', { Origin: 'https://app.example.com', 'Sec-Fetch-Site': 'cross-site' }],
    ['a listed origin in an old browser', { Origin: 'https://app.example.com' }],
  ])('%s: launched', async (_case, headers) => {
    const { mint } = await site({ origins: ['https://app.example.com'] });
    expect((await mint(body(), headers)).status).toBe(200);
  });

  test.each([
    ['another origin', { Origin: 'https://evil.example' }],
    ['another origin, by Sec-Fetch-Site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['another subdomain of the site', { Origin: 'https://blog.example.com', 'Sec-Fetch-Site': 'same-site' }],
    ['a page without an origin', { Origin: 'null' }],
    ['the listed origin in another case', { Origin: 'https://APP.example.com' }],
  ])('%s: 403', async (_case, headers) => {
    const { mint } = await site({ origins: ['https://app.example.com'] });
    expectRefusal(await mint(body(), headers), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('the same host with another port: 403', async () => {
    const { mint } = await site();
    expectRefusal(await mint(body(), { Origin: 'http://127.0.0.1:1' }), 403, 'ORIGIN_NOT_ALLOWED');
  });

  test('no Origin, and Sec-Fetch-Site absent or cross-site: 403', async () => {
    const { call } = await site();
    const headers = { 'Content-Type': 'application/json', 'X-User': 'ann' };
    const post = { method: 'POST', path: '/mint', body: body() };
    expectRefusal(
      await call({ ...post, headers: { ...headers, 'Sec-Fetch-Site': 'cross-site' } }),
      403,
      'ORIGIN_NOT_ALLOWED',
    );
    expectRefusal(await call({ ...post, headers }), 403, 'ORIGIN_REQUIRED');
  });

  test('invalid origins in the options throw at creation', async () => {
    await expect(site({ origins: ['app.example.com'] })).rejects.toThrow(/origins/);
    await expect(site({ origins: ['https://app.example.com/'] })).rejects.toThrow(/origins/);
  });
});

describe('authorisation', () => {
  test('a visitor who is not signed in: 401, and nothing is minted', async () => {
    const { call, url } = await site();
    const before = await sessionsOf(service, world.projectId);
    const headers = { Origin: url };
    expectRefusal(await call({ method: 'POST', path: '/mint', headers, body: body() }), 401, 'UNAUTHORIZED');
    expect(await sessionsOf(service, world.projectId)).toHaveLength(before.length);
  });

  test('authorize is required', async () => {
    await expect(startSite(client, {} as never)).rejects.toThrow(/authorize/);
  });

  test('authorize may read the body', async () => {
    const { mint } = await site({
      authorize: async (request: Request) => ({
        userId: ((await request.json()) as { userId: string }).userId,
      }),
    });
    expect(await session(await mint({ ...body(), userId: 'bea' }))).toMatchObject({ userId: 'bea' });
  });

  test('an authorize that throws: 500 without the cause, which is logged for the developer', async () => {
    const { mint } = await site({
      authorize: () => {
        throw new Error('the user table is gone');
      },
    });
    const answer = await mint(body());
    expectRefusal(answer, 500, 'INTERNAL');
    expect(answer.text).not.toContain('user table');
    expect(events.at(-1)).toMatchObject({ event: 'relay.failed', requestId: answer.headers['x-request-id'] });
  });

  test('mints for the user of the grant, whether or not the page names that user', async () => {
    const { mint } = await site();
    expect(await session(await mint({ ...body(), userId: 'ann' }))).toMatchObject({ userId: 'ann' });
    expect(await session(await mint(body()))).toMatchObject({ userId: 'ann' });
  });

  test('a page that names another user: 403, also with acceptUserId', async () => {
    for (const options of [{}, { acceptUserId: true }]) {
      const { mint } = await site(options);
      expectRefusal(await mint({ ...body(), userId: 'bob' }), 403, 'USER_FORBIDDEN');
    }
  });

  test('a user that only the page names: 403, unless acceptUserId is set', async () => {
    const anonymous = { authorize: () => ({}) };
    expectRefusal(await (await site(anonymous)).mint({ ...body(), userId: 'bob' }), 403, 'USER_FORBIDDEN');
    const open = await site({ ...anonymous, acceptUserId: true });
    expect(await session(await open.mint({ ...body(), userId: 'bob' }))).toMatchObject({ userId: 'bob' });
    expectRefusal(await open.mint({ ...body(), userId: 7 }), 400, 'INVALID_REQUEST');
  });
});

describe('the experiences option', () => {
  test('is a list or a function of experience and grant; other experiences get 403', async () => {
    const list = await site({ experiences: [world.experienceId] });
    expect((await list.mint(body())).status).toBe(200);
    expectRefusal(await list.mint({ experienceId: 'exp_other' }), 403, 'EXPERIENCE_FORBIDDEN');
    const chosen = await site({
      experiences: (id: string, grant: { userId: string }) => id !== '' && grant.userId === 'ann',
    });
    expect((await chosen.mint(body())).status).toBe(200);
    expectRefusal(await chosen.mint(body(), { 'X-User': 'bob' }), 403, 'EXPERIENCE_FORBIDDEN');
  });

  test('a function that resolves to false: 403', async () => {
    const { mint } = await site({ experiences: async () => false });
    expectRefusal(await mint(body()), 403, 'EXPERIENCE_FORBIDDEN');
  });
});

describe('the request', () => {
  test('GET: 405', async () => {
    const { call } = await site();
    const answer = await call({ path: '/mint' });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.allow).toBe('POST');
  });

  test('a preflight of another site gets no CORS headers', async () => {
    const { call } = await site();
    const answer = await call({
      method: 'OPTIONS',
      path: '/mint',
      headers: { Origin: 'https://evil.example' },
    });
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    '%j: 415',
    async (type) => {
      expectRefusal(
        await (await site()).mint(JSON.stringify(body()), { 'Content-Type': type }),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    },
  );

  test('8 KiB are accepted, one byte more gets 413', async () => {
    const { mint } = await site();
    const text = (length: number) => JSON.stringify(body()).padEnd(length);
    expect((await mint(text(8192))).status).toBe(200);
    expectRefusal(await mint(text(8193)), 413, 'PAYLOAD_TOO_LARGE');
    expectRefusal(await mint(text(1_000_000)), 413, 'PAYLOAD_TOO_LARGE');
  });

  test.each(['', '{', '[]', '"x"', 'null'])('%j: 400', async (text) => {
    const answer = await (await site()).mint(text);
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toMatch(/^INVALID_(JSON|REQUEST)$/);
  });

  test.each([{}, { experienceId: 7 }, { experienceId: null }])('%j: 400 with details', async (wrong) => {
    const answer = await (await site()).mint(wrong);
    expectRefusal(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details).toMatchObject([{ path: 'experienceId' }]);
  });
});

describe('the rate limit', () => {
  test('is 30 a minute per address, regardless of the signed-in user; the 31st gets 429 with Retry-After', async () => {
    const { mint } = await site();
    const answers = await Promise.all(
      Array.from({ length: 31 }, (_, n) => mint(body(), { 'X-User': `user-${n}` })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(1);
    expectRefusal(refused[0] as Answer, 429, 'RATE_LIMITED');
    const seconds = Number(refused[0]?.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  test('each limitKey has a separate budget', async () => {
    const { mint } = await site({
      authorize: (request: Request) => ({ limitKey: request.headers.get('X-User') }),
      limit: { perMinute: 1 },
    });
    expect((await mint(body(), { 'X-User': 'a' })).status).toBe(200);
    expectRefusal(await mint(body(), { 'X-User': 'a' }), 429, 'RATE_LIMITED');
    expect((await mint(body(), { 'X-User': 'b' })).status).toBe(200);
  });

  test('can be a function of the key, or be disabled', async () => {
    const asked: string[] = [];
    const limit = async (key: string) => {
      asked.push(key);
      return false;
    };
    const counted = await site({ authorize: () => ({ limitKey: 'visitor-1' }), limit });
    const answer = await counted.mint(body());
    expectRefusal(answer, 429, 'RATE_LIMITED');
    expect(answer.headers['retry-after']).toBe('60');
    expect(asked).toEqual(['visitor-1']);
    const free = await site({ limit: false });
    const many = await Promise.all(Array.from({ length: 40 }, () => free.mint(body())));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a page's Idempotency-Key", () => {
  const key = { 'Idempotency-Key': 'the same for all' };

  test('returns the same launch to the same user, and separate sessions to two users', async () => {
    const { mint } = await site();
    const first = await mint(body(), key);
    const again = await mint(body(), key);
    const other = await mint(body(), { ...key, 'X-User': 'bob' });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(other.status).toBe(200);
    expect(other.json.sessionId).not.toBe(first.json.sessionId);
    expect(other.json.sessionToken).not.toBe(first.json.sessionToken);
  });

  test('is scoped by limitKey and by the page’s userId when no user is signed in', async () => {
    const { mint } = await site({
      authorize: (request: Request) => ({ limitKey: request.headers.get('X-User') }),
      acceptUserId: true,
    });
    const answers = [
      await mint({ ...body(), userId: 'cy' }, { ...key, 'X-User': 'visitor-1' }),
      await mint({ ...body(), userId: 'cy' }, { ...key, 'X-User': 'visitor-2' }),
      await mint({ ...body(), userId: 'di' }, { ...key, 'X-User': 'visitor-2' }),
    ];
    expect(new Set(answers.map(({ json }) => json.sessionId)).size).toBe(3);
  });

  test('is ignored where visitors cannot be distinguished', async () => {
    const relay = createRelay(client, { authorize: () => ({}) });
    const headers = { ...key, 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
    const mint = async () => {
      const init = { method: 'POST', headers, body: JSON.stringify(body()) };
      const answer = await relay.mint(new Request('https://app.example/mint', init));
      return ((await answer.json()) as { sessionId: string }).sessionId;
    };
    expect(await mint()).not.toBe(await mint());
    expect(events.filter((event) => 'event' in event && event.event === 'relay.shared-budget')).toHaveLength(
      1,
    );
  });

  test('with another body gets the service’s 409', async () => {
    const { mint } = await site();
    await mint(body(), { 'Idempotency-Key': 'k2' });
    expectRefusal(
      await mint({ ...body(), locale: 'fr' }, { 'Idempotency-Key': 'k2' }),
      409,
      'IDEMPOTENCY_CONFLICT',
    );
  });
});

describe('a response of the service', () => {
  test('that is an error is passed on with its request id', async () => {
    const answer = await (await site()).mint({ experienceId: 'exp_unknown' });
    expectRefusal(answer, 404, 'EXPERIENCE_NOT_FOUND');
    const locale = await (await site()).mint({ ...body(), locale: 'en_US' });
    expectRefusal(locale, 400, 'INVALID_REQUEST');
    expect(locale.json.error.details).toMatchObject([{ path: 'locale' }]);
  });

  test.each([
    ['a wrong key', () => clientOf(service.url, 'sl_test_wrong'), 'API_KEY_INVALID'],
    [
      'a key without the scope',
      async () => clientOf((await scriptedServer(failure(403, 'INSUFFICIENT_SCOPE'))).url, 'sl_test_k'),
      'INSUFFICIENT_SCOPE',
    ],
  ])('to %s is a relay misconfiguration: 502, and the cause is only logged', async (_case, make, code) => {
    const { mint } = await startSite(await make(), { authorize: signedIn });
    const answer = await mint(body());
    expectRefusal(answer, 502, 'RELAY_MISCONFIGURED');
    expect(answer.text).not.toContain(code);
    expect(events.at(-1)).toMatchObject({ event: 'relay.misconfigured', code });
  });

  test('that is missing because the service is down: 503 with Retry-After', async () => {
    const { mint } = await startSite(clientOf(await nobody(), world.key), { authorize: signedIn });
    const answer = await mint(body());
    expectRefusal(answer, 503, 'UNAVAILABLE');
    expect(answer.headers['retry-after']).toBe('1');
  });
});

describe('end', () => {
  const end = async (token: string, headers = {}) => {
    const { call, url } = await site();
    const beacon = { Origin: url, 'Content-Type': 'text/plain;charset=UTF-8', ...headers };
    return call({ method: 'POST', path: '/end', headers: beacon, body: token });
  };

  test('takes a session token from a beacon, and ends that session', async () => {
    const { launch, session } = await client.sessions.mint(body());
    expect((await end(launch.sessionToken)).status).toBe(204);
    expect(await client.sessions.get(session.sessionId)).toMatchObject({ status: 'ended' });
    expect((await end(launch.sessionToken)).status).toBe(204);
  });

  test('rejects invalid and modified tokens', async () => {
    const { launch, session } = await client.sessions.mint(body());
    const [head, claims = '', signature] = launch.sessionToken.split('.');
    const other = await client.sessions.mint(body());
    const [, otherClaims] = other.launch.sessionToken.split('.');
    for (const token of [
      '',
      'x',
      session.sessionId,
      `${head}.${claims}.`,
      `${head}.${otherClaims}.${signature}`,
    ])
      expectRefusal(await end(token), 401, 'SESSION_TOKEN_INVALID');
    expect(await client.sessions.get(other.session.sessionId)).toMatchObject({ status: 'created' });
  });

  test('rejects other sites and bodies that are too long', async () => {
    expectRefusal(await end('x', { Origin: 'https://evil.example' }), 403, 'ORIGIN_NOT_ALLOWED');
    expectRefusal(await end('x'.repeat(9000)), 413, 'PAYLOAD_TOO_LARGE');
  });
});

describe('catalog', () => {
  const read = (url: string, headers = {}) =>
    fetch(`${url}/catalog`, { headers: { 'X-User': 'ann', ...headers } });

  test('shows the experiences that the visitor may launch, with a matching ETag', async () => {
    const own = await createWorld(service, {
      experiences: [experience({ sortOrder: 1 }), experience({ sortOrder: 2 })],
    });
    const [first, second] = own.file.experiences.map(({ id }) => id);
    const { url } = await startSite(clientOf(service.url, own.key), {
      authorize: signedIn,
      projectId: own.projectId,
      experiences: (id, { userId }) => userId === 'ann' || id === second,
    });
    const answer = await read(url);
    const ids = async (from: Response) =>
      ((await from.json()) as { experiences: { experienceId: string }[] }).experiences.map(
        ({ experienceId }) => experienceId,
      );
    expect(answer.status).toBe(200);
    expect(await ids(answer)).toEqual([first, second]);
    const etag = answer.headers.get('ETag') ?? '';
    expect((await read(url, { 'If-None-Match': etag })).status).toBe(304);
    const head = await fetch(`${url}/catalog`, { method: 'HEAD', headers: { 'X-User': 'ann' } });
    expect([head.status, head.headers.get('ETag')]).toEqual([200, etag]);
    const other = await read(url, { 'X-User': 'bob', 'If-None-Match': etag });
    expect(await ids(other)).toEqual([second]);
    expect(other.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  test('is readable only by pages of this site, for signed-in visitors', async () => {
    const { url, call } = await site({ projectId: world.projectId });
    expect((await read(url, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await read(url, { Origin: 'https://evil.example' })).status).toBe(403);
    expectRefusal(await call({ path: '/catalog' }), 401, 'UNAUTHORIZED');
  });

  test('without a projectId: 502', async () => {
    const { url } = await site();
    expect((await read(url)).status).toBe(502);
    expect(events.at(-1)).toMatchObject({
      event: 'relay.misconfigured',
      message: expect.stringContaining('projectId'),
    });
  });
});
