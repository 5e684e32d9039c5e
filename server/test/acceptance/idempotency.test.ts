import { randomBytes } from 'node:crypto';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  createKey,
  createWorld,
  expectError,
  experience,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  runtime,
  sessionsOf,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();

const under = (key: string) => ({ 'Idempotency-Key': key });
const freshKey = () => randomBytes(8).toString('hex');

/** The two mint endpoints that support idempotency keys. */
const endpoints = {
  server: (world: World, body: unknown, headers: Record<string, string | string[]> = {}) =>
    mintFromServer(service, world.key, body, headers),
  browser: (_world: World, body: unknown, headers: Record<string, string | string[]> = {}) =>
    mintFromBrowser(service, body, headers),
};
type EndpointName = keyof typeof endpoints;
const endpointNames = Object.keys(endpoints) as EndpointName[];

const sessionCount = async (projectId: string) => (await sessionsOf(service, projectId)).length;

function expectLaunch(answer: Answer): string {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.headers['idempotent-replayed']).toBeUndefined();
  return answer.json.session.sessionId;
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status, answer.text).toBe(201);
  expect(answer.text).toBe(first.text);
  expect(answer.headers['idempotent-replayed']).toBe('true');
}

/** Applies the project file with changes to its project and its only experience. */
async function change(
  world: World,
  changes: { project?: Record<string, unknown>; experience?: Record<string, unknown> },
): Promise<void> {
  Object.assign(world.file.project, changes.project);
  Object.assign(world.file.experiences[0]!, changes.experience);
  const applied = await apply(service, world.file);
  expect(applied.status, applied.text).toBe(200);
}

describe.each(endpointNames)('a launch at the %s endpoint', (name) => {
  const mint = endpoints[name];

  test('is replayed byte for byte, with 201 and Idempotent-Replayed', async () => {
    const world = await createWorld(service);
    const body = {
      experienceId: world.experienceId,
      locale: 'pt-BR',
      startButton: { b: 1, a: [1.5, 'é', null] },
    };
    const first = await mint(world, body, under('once'));
    expectLaunch(first);
    for (let i = 0; i < 3; i++) {
      const again = await mint(world, body, under('once'));
      expectReplay(again, first);
      expect(again.headers['cache-control']).toBe('no-store, private');
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }
    expect(await sessionCount(world.projectId)).toBe(1);
  });

  test('without a key creates a new session each time', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const ids = [await mint(world, body), await mint(world, body)].map(expectLaunch);
    expect(new Set(ids).size).toBe(2);
  });

  test('is replayed for a body that differs only in formatting', async () => {
    const world = await createWorld(service);
    const id = world.experienceId;
    const json = { 'Content-Type': 'application/json' };
    const first = await mint(
      world,
      `{"experienceId":"${id}","speechOnly":true,"startButton":{"size":100,"label":"Go","list":[1,2]}}`,
      { ...json, ...under('form') },
    );
    expectLaunch(first);
    const others = [
      `{"startButton":{"list":[1,2],"label":"Go","size":100},"speechOnly":true,"experienceId":"${id}"}`,
      `\n{ "experienceId" : "${id}",\r\n\t"speechOnly" : true, "startButton": {"size": 100, "label":"Go", "list": [ 1, 2 ] } }\n`,
      `{"experienceId":"${id}","speechOnly":true,"startButton":{"size":1e2,"label":"Go","list":[1.0,2.000]}}`,
      `{"experienceId":"${id}","speechOnly":true,"startButton":{"size":100.00,"label":"\\u0047o","list":[1E0,2]}}`,
      `{"experienceId":"exp_x","experienceId":"${id}","speechOnly":true,"startButton":{"size":100,"label":"Go","list":[1,2]}}`,
    ];
    for (const text of others) expectReplay(await mint(world, text, { ...json, ...under('form') }), first);
    const otherMediaType = { 'Content-Type': 'application/json; charset=utf-8', ...under('form') };
    expectReplay(await mint(world, others[0], otherMediaType), first);
  });

  test('conflicts with any other body under its key, and stays replayable', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId, secondaryLocale: 'es-MX', note: 1 };
    const first = await mint(world, body, under('body'));
    expectLaunch(first);
    const different: object[] = [
      { ...body, speechOnly: false },
      { ...body, note: 2 },
      { ...body, note: '1' },
      { ...body, unknown: null },
      { experienceId: body.experienceId, secondaryLocale: 'es-MX' },
      { experienceId: body.experienceId, learningLocale: 'es-MX', note: 1 },
      { ...body, secondaryLocale: 'es-mx' },
      { ...body, userId: 'somebody' },
    ];
    for (const other of different) {
      const answer = await mint(world, other, under('body'));
      expectError(answer, 409, 'IDEMPOTENCY_CONFLICT');
      expect(answer.headers['retry-after']).toBeUndefined();
      expect(answer.headers['idempotent-replayed']).toBeUndefined();
      expect(answer.headers['cache-control']).toBe('no-store, private');
    }
    expectReplay(await mint(world, body, under('body')), first);
    expect(await sessionCount(world.projectId)).toBe(1);
  });

  test('conflicts with another experience of the project', async () => {
    const world = await createWorld(service, { experiences: [experience(), experience()] });
    const [one, two] = world.file.experiences.map((e) => ({ experienceId: e.id }));
    expectLaunch(await mint(world, one, under('k')));
    expectError(await mint(world, two, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('made with speechOnly false differs from one made without it', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    expectLaunch(await mint(world, { ...body, speechOnly: false }, under('k')));
    expectError(await mint(world, body, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
  });

  describe('accepts as its key', () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(service);
    });

    test.each([
      ['one character', 'k'],
      ['256 characters', 'k'.repeat(256)],
      ['spaces inside', 'two words  here'],
      ['quotes', '"quoted"'],
      ['commas', 'a, b'],
      ['every other printable character', "!#$%&'()*+-./:;<=>?@[\\]^_`{|}~"],
    ])('%s', async (_, key) => {
      const body = { experienceId: world.experienceId };
      const first = await mint(world, body, under(key));
      expectLaunch(first);
      expectReplay(await mint(world, body, under(key)), first);
    });

    test('texts that differ only slightly as different keys', async () => {
      const body = { experienceId: world.experienceId };
      const base = freshKey();
      const keys = [
        base,
        `"${base}"`,
        `${base}a`,
        `${base.toUpperCase()}Z`,
        `${base}az`,
        `${base} a`,
        `${base}  a`,
      ];
      const ids = [];
      for (const key of keys) ids.push(expectLaunch(await mint(world, body, under(key))));
      expect(new Set(ids).size).toBe(keys.length);
    });

    test('a header value without its surrounding white space', async () => {
      const body = { experienceId: world.experienceId };
      const key = freshKey();
      const first = await mint(world, body, under(key));
      expectReplay(await mint(world, body, under(`  ${key}\t `)), first);
    });
  });

  describe('rejects as its key', () => {
    let world: World;
    beforeAll(async () => {
      world = await createWorld(service);
    });

    test.each<[string, string | string[]]>([
      ['nothing', ''],
      ['only spaces', '   '],
      ['257 characters', 'k'.repeat(257)],
      ['a thousand characters', 'k'.repeat(1000)],
      ['two headers', ['one', 'two']],
      ['two equal headers', ['one', 'one']],
      ['two headers of which one is empty', ['', 'one']],
      ['a non-ASCII letter', 'cl\u00e9'],
      ['a tab inside', 'a\tb'],
    ])('%s', async (_, key) => {
      const answer = await mint(world, { experienceId: world.experienceId }, { 'Idempotency-Key': key });
      expectError(answer, 400, 'IDEMPOTENCY_KEY_INVALID');
      expect(answer.headers['access-control-allow-origin']).toBe(name === 'server' ? undefined : pageOrigin);
      expect(await sessionCount(world.projectId)).toBe(0);
    });

    test('an invalid value, before the body is checked and after authentication', async () => {
      const bad = under('k'.repeat(257));
      const text = { 'Content-Type': 'text/plain', ...bad };
      expectError(await mint(world, 'not json', text), 400, 'IDEMPOTENCY_KEY_INVALID');
      expectError(await mint(world, {}, bad), 400, 'IDEMPOTENCY_KEY_INVALID');
      if (name === 'server')
        expectError(await mintFromServer(service, 'nobody', {}, bad), 401, 'API_KEY_INVALID');
      else expectError(await mintFromBrowser(service, {}, { Origin: '', ...bad }), 403, 'ORIGIN_REQUIRED');
    });
  });

  describe('leaves its key free when it was refused', () => {
    const cases: [string, number, string, (world: World, key: string) => Promise<Answer>][] = [
      [
        'a body that is not JSON',
        400,
        'INVALID_JSON',
        (world, key) => mint(world, '{', { 'Content-Type': 'application/json', ...under(key) }),
      ],
      [
        'an invalid field',
        400,
        'INVALID_REQUEST',
        (world, key) => mint(world, { experienceId: world.experienceId, mode: 'x' }, under(key)),
      ],
      [
        'conflicting locales',
        400,
        'LOCALE_CONFLICT',
        (world, key) =>
          mint(
            world,
            { experienceId: world.experienceId, secondaryLocale: 'es', learningLocale: 'fr' },
            under(key),
          ),
      ],
      [
        'an unknown experience',
        404,
        'EXPERIENCE_NOT_FOUND',
        (world, key) => mint(world, { experienceId: uniqueId('exp') }, under(key)),
      ],
      [
        'a wrong media type',
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        (world, key) => mint(world, '{}', { 'Content-Type': 'text/plain', ...under(key) }),
      ],
      [
        'a body that is too large',
        413,
        'PAYLOAD_TOO_LARGE',
        (world, key) => mint(world, { experienceId: world.experienceId, x: 'x'.repeat(70_000) }, under(key)),
      ],
    ];
    test.each(cases)('by %s', async (_, status, code, attempt) => {
      const world = await createWorld(service);
      expectError(await attempt(world, 'retry'), status, code);
      const body = { experienceId: world.experienceId };
      const first = await mint(world, body, under('retry'));
      expectLaunch(first);
      expectReplay(await mint(world, body, under('retry')), first);
    });

    test('by a locale rule', async () => {
      const languages = { dual: true, default: 'en', conversation: 'match', paired: 'match' };
      const world = await createWorld(service, { experience: { runtime: runtime({ languages }) } });
      const body = { experienceId: world.experienceId };
      expectError(await mint(world, body, under('retry')), 400, 'SECONDARY_LOCALE_REQUIRED');
      const first = await mint(world, { ...body, secondaryLocale: 'fr' }, under('retry'));
      expectLaunch(first);
      expectReplay(await mint(world, { ...body, secondaryLocale: 'fr' }, under('retry')), first);
    });

    test('by an experience that is archived', async () => {
      const world = await createWorld(service, { experience: { status: 'archived' } });
      const body = { experienceId: world.experienceId };
      expectError(await mint(world, body, under('retry')), 404, 'EXPERIENCE_NOT_FOUND');
      await change(world, { experience: { status: 'published' } });
      expectLaunch(await mint(world, body, under('retry')));
    });
  });

  test('is replayed unchanged after its experience has changed', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mint(world, body, under('old'));
    expectLaunch(first);
    const changed = runtime({
      mode: 'presenter',
      speechInputMode: 'off',
      characters: [{ characterId: 'bob', name: 'Bob' }],
      transport: { type: 'websocket', url: 'wss://elsewhere.example.com/' },
      location: undefined,
    });
    await change(world, { experience: { title: 'Another title' } });
    expectReplay(await mint(world, body, under('old')), first);
    await change(world, { experience: { slug: uniqueId('slug').replace('_', '-'), runtime: changed } });
    expectReplay(await mint(world, body, under('old')), first);
    await change(world, { project: { name: 'Another name' } });
    expectReplay(await mint(world, body, under('old')), first);
    const fresh = await mint(world, body, under('new'));
    expectLaunch(fresh);
    expect(fresh.json.launch.experience).toMatchObject({ title: 'Another title', revision: 3 });
    expect(first.json.launch.experience.revision).toBe(1);
  });

  test('is replayed where the locale rules would now refuse a new mint', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mint(world, body, under('old'));
    expectLaunch(first);
    const languages = { dual: true, default: 'en', conversation: 'match', paired: 'match' };
    await change(world, { experience: { runtime: runtime({ languages }) } });
    expectError(await mint(world, body, under('new')), 400, 'SECONDARY_LOCALE_REQUIRED');
    expectReplay(await mint(world, body, under('old')), first);
    const other = { ...body, speechOnly: true };
    expectError(await mint(world, other, under('old')), 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('is replayed unchanged after its session has ended', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mint(world, body, under('k'));
    const id = expectLaunch(first);
    const headers = { Authorization: `Bearer ${world.key}` };
    const ended = await service.call({ method: 'POST', path: `/v1/sessions/${id}/end`, headers });
    expect(ended.json).toMatchObject({ sessionId: id, status: 'ended' });
    const again = await mint(world, body, under('k'));
    expectReplay(again, first);
    expect(again.json.session).toMatchObject({ sessionId: id, status: 'created' });
    expect(again.json.session.endedAt).toBeUndefined();
    const read = await service.call({ path: `/v1/sessions/${id}`, headers });
    expect(read.text).toBe(ended.text);
  });

  test('is created once by fifty concurrent requests', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const answers = await Promise.all(Array.from({ length: 50 }, () => mint(world, body, under('k'))));
    const launched = answers.filter((answer) => answer.status === 201);
    expect(new Set(launched.map((answer) => answer.text)).size).toBe(1);
    expect(launched.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    for (const answer of answers.filter((a) => a.status !== 201)) {
      expectError(answer, 409, 'IDEMPOTENCY_IN_PROGRESS');
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.headers['cache-control']).toBe('no-store, private');
    }
    expect(await sessionCount(world.projectId)).toBe(1);
    expectReplay(await mint(world, body, under('k')), launched[0]!);
  });

  test('that exists is returned to fifty concurrent replays, without pending errors', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mint(world, body, under('k'));
    expectLaunch(first);
    const requests = Array.from({ length: 50 }, (_, n) => (n % 5 === 4 ? { ...body, n } : body));
    const answers = await Promise.all(requests.map((request) => mint(world, request, under('k'))));
    for (const [n, answer] of answers.entries()) {
      if (n % 5 === 4) expectError(answer, 409, 'IDEMPOTENCY_CONFLICT');
      else expectReplay(answer, first);
    }
    expect(await sessionCount(world.projectId)).toBe(1);
  });

  test('is created once by fifty different bodies under one key at the same time', async () => {
    const world = await createWorld(service);
    const bodies = Array.from({ length: 50 }, (_, n) => ({ experienceId: world.experienceId, n }));
    const answers = await Promise.all(bodies.map((body) => mint(world, body, under('k'))));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    for (const answer of answers.filter((a) => a.status !== 201)) {
      expect(answer.status, answer.text).toBe(409);
      expect(['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_CONFLICT']).toContain(answer.json.error.code);
      const pending = answer.json.error.code === 'IDEMPOTENCY_IN_PROGRESS';
      expect(answer.headers['retry-after']).toBe(pending ? '1' : undefined);
    }
    expect(await sessionCount(world.projectId)).toBe(1);
    // No request is pending any more, so the result is deterministic from here on.
    const winner = answers.findIndex((answer) => answer.status === 201);
    for (const [n, body] of bodies.entries()) {
      const answer = await mint(world, body, under('k'));
      if (n === winner) expectReplay(answer, answers[winner]!);
      else expectError(answer, 409, 'IDEMPOTENCY_CONFLICT');
    }
  });

  test('is created once for each of a hundred keys at the same time', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const keys = Array.from({ length: 100 }, (_, n) => `k${n}`);
    const ids = (await Promise.all(keys.map((key) => mint(world, body, under(key))))).map(expectLaunch);
    expect(new Set(ids).size).toBe(100);
    expect(await sessionCount(world.projectId)).toBe(100);
  });
});

describe('a refused request leaves its key free', () => {
  test('on the server endpoint: key, scope, foreign experience, unpublished experience', async () => {
    const world = await createWorld(service, { experience: { status: 'draft' } });
    const foreign = await createWorld(service);
    const reader = await createKey(service, world.projectId, { mode: 'live', scopes: ['sessions:read'] });
    const body = { experienceId: world.experienceId };
    const stranger = `${world.liveKey.slice(0, -1)}${world.liveKey.endsWith('0') ? '1' : '0'}`;
    expectError(await mintFromServer(service, stranger, body, under('k')), 401, 'API_KEY_INVALID');
    expectError(await mintFromServer(service, reader.key, body, under('k')), 403, 'INSUFFICIENT_SCOPE');
    const theirs = { experienceId: foreign.experienceId };
    expectError(
      await mintFromServer(service, world.liveKey, theirs, under('k')),
      403,
      'EXPERIENCE_FORBIDDEN',
    );
    expectError(
      await mintFromServer(service, world.liveKey, body, under('k')),
      404,
      'EXPERIENCE_NOT_PUBLISHED',
    );
    await change(world, { experience: { status: 'published' } });
    const first = await mintFromServer(service, world.liveKey, body, under('k'));
    expectLaunch(first);
    expectReplay(await mintFromServer(service, world.liveKey, body, under('k')), first);
  });

  test('on the browser endpoint: embeds, origin, rate, unpublished experience, quota', async () => {
    const limits = { mintsPerMinutePerClient: null, mintsPerMinute: 0, sessionsPerDay: 0 };
    const world = await createWorld(service, {
      project: { browserEmbeds: false, allowedOrigins: [], limits },
      experience: { status: 'draft' },
    });
    const mint = () => mintFromBrowser(service, { experienceId: world.experienceId }, under('k'));
    expectError(await mint(), 403, 'BROWSER_EMBEDS_DISABLED');
    await change(world, { project: { browserEmbeds: true } });
    expectError(await mint(), 403, 'ORIGIN_NOT_ALLOWED');
    await change(world, { project: { allowedOrigins: [pageOrigin] } });
    expectError(await mint(), 429, 'RATE_LIMITED');
    await change(world, { project: { limits: { ...limits, mintsPerMinute: null } } });
    expectError(await mint(), 404, 'EXPERIENCE_NOT_PUBLISHED');
    await change(world, { experience: { status: 'published' } });
    expectError(await mint(), 429, 'QUOTA_EXCEEDED');
    await change(world, { project: { limits: { ...limits, mintsPerMinute: null, sessionsPerDay: 1 } } });
    const first = await mint();
    expectLaunch(first);
    expectReplay(await mint(), first);
  });
});

describe('a replay checks again whether the caller may launch', () => {
  test('on the server endpoint', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const first = await mintFromServer(service, world.key, body, under('k'));
    expectLaunch(first);
    const reader = await createKey(service, world.projectId, { scopes: ['sessions:read'] });
    expectError(await mintFromServer(service, reader.key, body, under('k')), 403, 'INSUFFICIENT_SCOPE');
    await change(world, { experience: { status: 'archived' } });
    expectError(await mintFromServer(service, world.key, body, under('k')), 404, 'EXPERIENCE_NOT_FOUND');
    await change(world, { experience: { status: 'published' } });
    expectReplay(await mintFromServer(service, world.key, body, under('k')), first);
    await service.admin({ method: 'POST', path: `/admin/keys/${world.keyId}/revoke` });
    expectError(await mintFromServer(service, world.key, body, under('k')), 401, 'API_KEY_INVALID');
  });

  test('on the browser endpoint', async () => {
    const world = await createWorld(service);
    const mint = () => mintFromBrowser(service, { experienceId: world.experienceId }, under('k'));
    const first = await mint();
    expectLaunch(first);
    await change(world, { project: { allowedOrigins: ['https://other.example.com'] } });
    expectError(await mint(), 403, 'ORIGIN_NOT_ALLOWED');
    await change(world, { project: { allowedOrigins: [pageOrigin], browserEmbeds: false } });
    expectError(await mint(), 403, 'BROWSER_EMBEDS_DISABLED');
    await change(world, { project: { browserEmbeds: true }, experience: { status: 'archived' } });
    expectError(await mint(), 404, 'EXPERIENCE_NOT_FOUND');
    await change(world, { experience: { status: 'published' } });
    expectReplay(await mint(), first);
  });
});

describe('a replay does not require', () => {
  test('a published revision', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    const server = await mintFromServer(service, world.liveKey, body, under('k'));
    const browser = await mintFromBrowser(service, body, under('k'));
    await change(world, { experience: { status: 'draft' } });
    expectError(
      await mintFromServer(service, world.liveKey, body, under('n')),
      404,
      'EXPERIENCE_NOT_PUBLISHED',
    );
    expectError(await mintFromBrowser(service, body, under('n')), 404, 'EXPERIENCE_NOT_PUBLISHED');
    expectReplay(await mintFromServer(service, world.liveKey, body, under('k')), server);
    expectReplay(await mintFromBrowser(service, body, under('k')), browser);
    const other = { ...body, mode: 'presenter' };
    expectError(await mintFromBrowser(service, other, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('remaining quota', async () => {
    const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1 };
    const world = await createWorld(service, { project: { limits } });
    const body = { experienceId: world.experienceId };
    const first = await mintFromBrowser(service, body, under('k'));
    expectLaunch(first);
    expectError(await mintFromBrowser(service, body, under('n')), 429, 'QUOTA_EXCEEDED');
    expectReplay(await mintFromBrowser(service, body, under('k')), first);
    expectError(await mintFromBrowser(service, { ...body, x: 1 }, under('k')), 409, 'IDEMPOTENCY_CONFLICT');
    await change(world, { project: { limits: { ...limits, sessionsPerDay: 0 } } });
    expectReplay(await mintFromBrowser(service, body, under('k')), first);
  });
});

test('the public endpoint ignores the header, even an invalid one', async () => {
  const world = await createWorld(service, { experience: { public: true, allowedOrigins: [pageOrigin] } });
  const body = { experienceId: world.experienceId };
  const keys = ['k', 'k', '', 'k'.repeat(300), ['a', 'b']];
  const ids = [];
  for (const key of keys) {
    const answer = await mintFromPublic(service, body, { 'Idempotency-Key': key });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
    ids.push(answer.json.sessionId);
  }
  expect(new Set(ids).size).toBe(keys.length);
  expectLaunch(await mintFromBrowser(service, body, under('k')));
});

describe('the scope of a key', () => {
  test('survives key rotation: a new API key of the same project and mode replays', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId, userId: 'ann' };
    const first = await mintFromServer(service, world.key, body, under('k'));
    expectLaunch(first);
    const rotated = await createKey(service, world.projectId, { scopes: ['sessions:create'] });
    await service.admin({ method: 'POST', path: `/admin/keys/${world.keyId}/revoke` });
    expectReplay(await mintFromServer(service, rotated.key, body, under('k')), first);
    const live = await createKey(service, world.projectId, { mode: 'live' });
    expectLaunch(await mintFromServer(service, live.key, body, under('k')));
  });
});
