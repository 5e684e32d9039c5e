import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  expectError,
  experience,
  pageOrigin,
  runtime,
  uniqueId,
} from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { bodyOf } from './bodies.ts';
import {
  browserEndpoint,
  mintAt,
  openWorld,
  publicEndpoint,
  serverEndpoint,
  sharedWorld,
} from './mint-endpoints.ts';

const service = deployedService();
const stranger = 'https://stranger.example.org';
const exposed = 'Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id';

function preflight(path: string, origin?: string): Promise<Answer> {
  return service.call({
    method: 'OPTIONS',
    path,
    headers: {
      ...(origin === undefined ? {} : { Origin: origin }),
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type,idempotency-key',
    },
  });
}

function corsOf({ headers }: Answer): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
}

function expectReadable(answer: Answer, origin: string): void {
  expect(corsOf(answer), answer.text).toEqual({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
  });
  expect(answer.headers.vary).toBe('Origin');
}

function expectUnreadable(answer: Answer): void {
  expect(corsOf(answer), answer.text).toEqual({});
  expect(answer.headers.vary).toBe('Origin');
}

function expectPreflight(answer: Answer, origin: string): void {
  expect(answer.status).toBe(204);
  expect(answer.text).toBe('');
  expect(corsOf(answer)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'Content-Type, Idempotency-Key',
    'access-control-max-age': expect.stringMatching(/^[1-9]\d*$/),
  });
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  expect(answer.headers.vary).toBe('Origin');
  expect(answer.headers['cache-control']).toBe('no-store, private');
}

function expectPlainPreflight(answer: Answer): void {
  expect(answer.status).toBe(204);
  expect(answer.text).toBe('');
  expectUnreadable(answer);
  expect(answer.headers['cache-control']).toBe('no-store, private');
}

/** Values that are not a serialised http(s) origin. */
const junk = [
  'null',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://app.example.com:443',
  'app.example.com',
  'https://',
  '*',
  'file://',
  'chrome-extension://abcdefghijklmnop',
  'https://a.example.com https://b.example.com',
  'https://user@app.example.com',
];

describe('POST /v1/browser-sessions', () => {
  test.each([pageOrigin, stranger, 'http://localhost:3000', 'http://evil.example.org:81', 'https://[::1]:9'])(
    'a preflight from %s is answered: CORS is not authorisation',
    async (origin) => {
      expectPreflight(await preflight(browserEndpoint.path, origin), origin);
    },
  );

  test.each(junk)('a preflight from %s gets no CORS header', async (origin) => {
    expectPlainPreflight(await preflight(browserEndpoint.path, origin));
  });

  test('an OPTIONS without an Origin gets no CORS header', async () => {
    expectPlainPreflight(await preflight(browserEndpoint.path));
  });

  test('a preflight allows any requested headers, and never credentials', async () => {
    const answer = await service.call({
      method: 'OPTIONS',
      path: browserEndpoint.path,
      headers: {
        Origin: pageOrigin,
        'Access-Control-Request-Method': 'DELETE',
        'Access-Control-Request-Headers': 'authorization,x-secret',
      },
    });
    expectPreflight(answer, pageOrigin);
  });

  test('a page can read a launch', async () => {
    const world = await sharedWorld(service);
    const answer = await mintAt(service, browserEndpoint, world, { experienceId: world.experienceId });
    expect(answer.status).toBe(201);
    expectReadable(answer, pageOrigin);
  });

  test.each([pageOrigin, stranger])('a page at %s can read every error', async (origin) => {
    const world = await sharedWorld(service);
    const at = { Origin: origin };
    const { experienceId } = world;
    const answers: [number, Answer][] = [
      [
        400,
        await mintAt(service, browserEndpoint, world, '{', { ...at, 'Content-Type': 'application/json' }),
      ],
      [400, await mintAt(service, browserEndpoint, world, { experienceId, mode: 5 }, at)],
      [
        400,
        await mintAt(service, browserEndpoint, world, { experienceId }, { ...at, 'Idempotency-Key': '' }),
      ],
      [404, await mintAt(service, browserEndpoint, world, { experienceId: uniqueId('exp') }, at)],
      [405, await mintAt(service, browserEndpoint, world, undefined, at, { method: 'GET' })],
      [405, await mintAt(service, browserEndpoint, world, undefined, at, { method: 'DELETE' })],
      [413, await mintAt(service, browserEndpoint, world, { text: bodyOf(70_000, experienceId) }, at)],
      [415, await mintAt(service, browserEndpoint, world, '{}', { ...at, 'Content-Type': 'text/plain' })],
    ];
    for (const [status, answer] of answers) {
      expect(answer.status, answer.text).toBe(status);
      expectReadable(answer, origin);
    }
  });

  test('errors about the project and experience are readable from any origin', async () => {
    const refused = async (
      code: string,
      overrides: Parameters<typeof openWorld>[1],
      origin: string = pageOrigin,
    ) => {
      const world = await openWorld(service, overrides);
      const answer = await mintAt(
        service,
        browserEndpoint,
        world,
        { experienceId: world.experienceId },
        { Origin: origin },
      );
      expect(answer.json.error.code).toBe(code);
      expectReadable(answer, origin);
    };
    const none = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: null };
    await refused('ORIGIN_NOT_ALLOWED', {}, stranger);
    await refused('BROWSER_EMBEDS_DISABLED', { project: { browserEmbeds: false } });
    await refused('RATE_LIMITED', { project: { limits: { ...none, mintsPerMinute: 0 } } });
    await refused('QUOTA_EXCEEDED', { project: { limits: { ...none, sessionsPerDay: 0 } } });
    await refused('EXPERIENCE_NOT_PUBLISHED', { experience: { status: 'draft' } });
    await refused('SECONDARY_LOCALE_REQUIRED', {
      experience: { runtime: runtime({ languages: { dual: true } }) },
    });
  });

  test.each(junk)('a response to %s carries no CORS header', async (origin) => {
    const world = await sharedWorld(service);
    const answer = await mintAt(
      service,
      browserEndpoint,
      world,
      { experienceId: world.experienceId },
      { Origin: origin },
    );
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
    expectUnreadable(answer);
  });

  test('a response to a request without Origin carries Vary but no CORS header', async () => {
    const answer = await service.call({ method: 'POST', path: browserEndpoint.path, body: {} });
    expectError(answer, 403, 'ORIGIN_REQUIRED');
    expectUnreadable(answer);
  });
});

describe('POST /v1/public-sessions', () => {
  /** Creates two public experiences, each with an origin that no other test uses. */
  async function twoExperiences(overrides: Parameters<typeof openWorld>[1] = {}) {
    const origins = [0, 1].map(() => `https://${uniqueId('page').replace('_', '-')}.example.net`) as [
      string,
      string,
    ];
    const [one, two] = origins.map((origin) =>
      experience({ public: true, allowedOrigins: [origin], ...overrides.experience }),
    ) as [ReturnType<typeof experience>, ReturnType<typeof experience>];
    const world = await openWorld(service, { ...overrides, experiences: [one, two] });
    return { world, one, two, originOfOne: origins[0], originOfTwo: origins[1] };
  }

  test('a preflight answers origins on the allowlist of any experience', async () => {
    const { originOfOne, originOfTwo } = await twoExperiences();
    expectPreflight(await preflight(publicEndpoint.path, originOfOne), originOfOne);
    expectPreflight(await preflight(publicEndpoint.path, originOfTwo), originOfTwo);
  });

  test('a preflight answers origins matched by a wildcard entry, and not the entry itself', async () => {
    const host = `${uniqueId('host').replace('_', '-')}.example.net`;
    await openWorld(service, { experience: { allowedOrigins: [`https://*.${host}`] } });
    expectPreflight(await preflight(publicEndpoint.path, `https://shop.${host}`), `https://shop.${host}`);
    for (const origin of [
      `https://*.${host}`,
      `https://${host}`,
      `https://a.b.${host}`,
      `http://a.${host}`,
    ]) {
      expectPlainPreflight(await preflight(publicEndpoint.path, origin));
    }
  });

  test.each([stranger, ...junk])('a preflight from %s is a plain 204', async (origin) => {
    expectPlainPreflight(await preflight(publicEndpoint.path, origin));
  });

  test('an OPTIONS without an Origin is a plain 204', async () => {
    expectPlainPreflight(await preflight(publicEndpoint.path));
  });

  test('the allowlist of a project is not used', async () => {
    const origin = `https://${uniqueId('page').replace('_', '-')}.example.net`;
    const world = await openWorld(service, { project: { allowedOrigins: [origin] } });
    expectPlainPreflight(await preflight(publicEndpoint.path, origin));
    const { experienceId } = world;
    const answer = await mintAt(service, publicEndpoint, world, { experienceId }, { Origin: origin });
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
    expectUnreadable(answer);
  });

  test('a change to the allowlist takes effect at once', async () => {
    const origin = `https://${uniqueId('page').replace('_', '-')}.example.net`;
    const world = await openWorld(service);
    expectPlainPreflight(await preflight(publicEndpoint.path, origin));
    world.file.experiences[0]!.allowedOrigins = [origin];
    await apply(service, world.file);
    expectPreflight(await preflight(publicEndpoint.path, origin), origin);
    world.file.experiences[0]!.allowedOrigins = [];
    await apply(service, world.file);
    expectPlainPreflight(await preflight(publicEndpoint.path, origin));
  });

  test('the page can read a launch', async () => {
    const { world, one, originOfOne } = await twoExperiences();
    const answer = await mintAt(
      service,
      publicEndpoint,
      world,
      { experienceId: one.id },
      { Origin: originOfOne },
    );
    expect(answer.status).toBe(200);
    expectReadable(answer, originOfOne);
  });

  test('errors before the experience is known are readable by origins on any allowlist, and by no other', async () => {
    const { world, originOfTwo } = await twoExperiences();
    const unlisted = 'https://unlisted.example.org';
    const errors = async (origin: string): Promise<[number, Answer][]> => {
      const at = { Origin: origin };
      const experienceId = uniqueId('exp');
      return [
        [
          400,
          await mintAt(service, publicEndpoint, world, '{', { ...at, 'Content-Type': 'application/json' }),
        ],
        [400, await mintAt(service, publicEndpoint, world, { experienceId, mode: 5 }, at)],
        [404, await mintAt(service, publicEndpoint, world, { experienceId }, at)],
        [405, await mintAt(service, publicEndpoint, world, undefined, at, { method: 'GET' })],
        [413, await mintAt(service, publicEndpoint, world, { text: bodyOf(70_000, experienceId) }, at)],
        [415, await mintAt(service, publicEndpoint, world, '{}', { ...at, 'Content-Type': 'text/plain' })],
      ];
    };
    for (const [status, answer] of await errors(originOfTwo)) {
      expect(answer.status, answer.text).toBe(status);
      expectReadable(answer, originOfTwo);
    }
    for (const [status, answer] of await errors(unlisted)) {
      expect(answer.status, answer.text).toBe(status);
      expectUnreadable(answer);
    }
  });

  test('once the experience is known, only its own allowlist is used', async () => {
    const { world, one, originOfTwo } = await twoExperiences();
    const answer = await mintAt(
      service,
      publicEndpoint,
      world,
      { experienceId: one.id },
      { Origin: originOfTwo },
    );
    expectError(answer, 403, 'ORIGIN_NOT_ALLOWED');
    expectUnreadable(answer);
  });

  test.each([
    ['BROWSER_EMBEDS_DISABLED', { project: { browserEmbeds: false } }],
    [
      'RATE_LIMITED',
      { project: { limits: { mintsPerMinutePerClient: null, mintsPerMinute: 0, sessionsPerDay: null } } },
    ],
    [
      'QUOTA_EXCEEDED',
      { project: { limits: { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 0 } } },
    ],
    ['EXPERIENCE_NOT_PUBLISHED', { experience: { status: 'draft' } }],
    [
      'SECONDARY_LOCALE_REQUIRED',
      { experience: { runtime: runtime({ languages: { dual: true, paired: 'match' } }) } },
    ],
  ])(
    '%s is readable by an origin on the allowlist of the experience, and by no other',
    async (code, overrides) => {
      const { world, one, originOfOne, originOfTwo } = await twoExperiences(overrides);
      const body = { experienceId: one.id };
      const listed = await mintAt(service, publicEndpoint, world, body, { Origin: originOfOne });
      expect(listed.json.error.code).toBe(code);
      expectReadable(listed, originOfOne);
      expectUnreadable(await mintAt(service, publicEndpoint, world, body, { Origin: originOfTwo }));
    },
  );
});

describe('routes that take an API key', () => {
  const routes = (experienceId: string, projectId: string): [string, string][] => [
    ['POST', '/v1/sessions'],
    ['GET', '/v1/sessions/ses_1'],
    ['POST', '/v1/sessions/ses_1/end'],
    ['GET', `/v1/projects/${projectId}/experiences`],
    ['GET', `/v1/projects/${projectId}/experiences/${experienceId}`],
  ];

  test('OPTIONS is 405, without a CORS header', async () => {
    const world = await sharedWorld(service);
    for (const [method, path] of routes(world.experienceId, world.projectId)) {
      const answer = await preflight(path, pageOrigin);
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toContain(method);
      expect(answer.headers.allow).not.toContain('OPTIONS');
      expect(corsOf(answer)).toEqual({});
    }
  });

  test('no response carries a CORS header, even to a listed origin', async () => {
    const world = await sharedWorld(service);
    const key = { Authorization: `Bearer ${world.key}` };
    for (const [method, path] of routes(world.experienceId, world.projectId)) {
      for (const headers of [{ Origin: pageOrigin }, { Origin: pageOrigin, ...key }]) {
        const body = method === 'POST' ? { experienceId: world.experienceId } : undefined;
        expect(corsOf(await service.call({ method, path, headers, body }))).toEqual({});
      }
    }
  });

  test('a launch from a server carries no CORS header', async () => {
    const world = await sharedWorld(service);
    const body = { experienceId: world.experienceId };
    const answer = await mintAt(service, serverEndpoint, world, body, { Origin: pageOrigin });
    expect(answer.status).toBe(201);
    expect(corsOf(answer)).toEqual({});
  });
});
