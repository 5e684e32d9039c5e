import { createHmac } from 'node:crypto';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { untilAvailable } from '@session-launch/testing/fleet.ts';
import { connect, type Launch, launched, leave, report } from '@session-launch/testing/lifecycle.ts';
import {
  apply,
  createWorld,
  expectError,
  experience,
  mintFromServer,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service, {
    experience: experience({
      runtime: runtime({
        limits: { maxSeconds: 300 },
        mind: { greeting: { EN: 'Hello!', 'pt-pt': ['Olá!', 'Bom dia!'] }, topics: [{ id: 'tides' }] },
      }),
    }),
  });
});

const read = async (sessionId: string) =>
  (
    await service.call({
      path: `/v1/sessions/${sessionId}`,
      headers: { Authorization: `Bearer ${world.key}` },
    })
  ).json;
const end = (sessionId: string) =>
  service.call({
    method: 'POST',
    path: `/v1/sessions/${sessionId}/end`,
    headers: { Authorization: `Bearer ${world.key}` },
  });

describe('POST /runtime/v1/sessions/{sessionId}/connect', () => {
  test('activates a session and returns everything that the runtime needs', async () => {
    const { json: minted } = await mintFromServer(service, world.key, { experienceId: world.experienceId });
    const answer = await connect(service, minted.launch);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store, private');
    const { sessionToken: _credential, ...manifest } = minted.launch;
    expect(answer.json).toEqual({
      session: { ...minted.session, status: 'active', startedAt: expect.any(String) },
      manifest,
      mind: { greeting: { en: ['Hello!'], 'pt-PT': ['Olá!', 'Bom dia!'] }, topics: [{ id: 'tides' }] },
      limits: { maxSeconds: 300, idleSeconds: 120 },
    });
    expect(manifest.limits).toEqual({ maxSeconds: 300, idleSeconds: 120 });
    expect(Date.parse(answer.json.session.startedAt)).toBeGreaterThanOrEqual(
      Date.parse(minted.session.createdAt),
    );
    expect(await read(minted.session.sessionId)).toEqual(answer.json.session);
  });

  test('a launch replayed after its session began, and after it ended, is identical byte for byte', async () => {
    const mint = () =>
      mintFromServer(
        service,
        world.key,
        { experienceId: world.experienceId },
        { 'Idempotency-Key': `lively ${world.projectId}` },
      );
    const first = await mint();
    expect((await connect(service, first.json.launch)).status).toBe(200);
    const later = await mint();
    await report(service, [{ sessionId: first.json.session.sessionId, seconds: 0, ended: 'client_ended' }]);
    for (const again of [later, await mint()]) {
      expect(again.text).toBe(first.text);
      expect(again.headers['idempotent-replayed']).toBe('true');
    }
  });

  test('admits one of many concurrent requests with one token', async () => {
    const launch = await launched(service, world);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => untilAvailable(() => connect(service, launch, `rt_${n}`))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 409, 'SESSION_ALREADY_CONNECTED');
  });

  test('a session that has ended is 410, whether or not it was active before', async () => {
    const [never, before] = [await launched(service, world), await launched(service, world)];
    expect((await connect(service, before)).status).toBe(200);
    for (const launch of [never, before]) {
      expect((await end(launch.sessionId)).json).toMatchObject({ status: 'ended', endReason: 'api_request' });
      expectError(await connect(service, launch), 410, 'SESSION_ENDED');
    }
  });

  const tampered: [string, (launch: Launch, other: Launch) => Partial<Launch>][] = [
    ['of another session', (_launch, other) => ({ sessionToken: other.sessionToken })],
    ['for another session', (_launch, other) => ({ sessionId: other.sessionId })],
    [
      'with another signature',
      ({ sessionToken }) => ({ sessionToken: `${sessionToken.slice(0, -8)}AAAAAAAA` }),
    ],
    [
      'without a signature',
      ({ sessionToken }) => ({ sessionToken: `${sessionToken.split('.', 2).join('.')}.` }),
    ],
    [
      'with the algorithm none',
      ({ sessionToken }) => ({
        sessionToken: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${sessionToken.split('.')[1]}.`,
      }),
    ],
    [
      'signed by HMAC with the public key',
      ({ sessionToken }) => {
        const signed = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${sessionToken.split('.')[1]}`;
        const signature = createHmac('sha256', 'public').update(signed).digest('base64url');
        return { sessionToken: `${signed}.${signature}` };
      },
    ],
    ['that is malformed', () => ({ sessionToken: 'nonsense' })],
    ['with a malformed session id', () => ({ sessionId: 'nonsense' })],
  ];
  test.each(tampered)('a token %s is 401, and the session stays created', async (_name, change) => {
    const [launch, other] = [await launched(service, world), await launched(service, world)];
    expectError(
      await connect(service, { ...launch, ...change(launch, other) }),
      401,
      'SESSION_TOKEN_INVALID',
    );
    expect((await read(launch.sessionId)).status).toBe('created');
    expect((await connect(service, launch)).status).toBe(200);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'INVALID_JSON'],
    ['broken JSON', '{"runtimeId":', 'INVALID_JSON'],
    ['no token', { runtimeId: 'rt' }, 'INVALID_REQUEST'],
    ['no runtime', { sessionToken: 'x' }, 'INVALID_REQUEST'],
    ['a runtime with a space', { sessionToken: 'x', runtimeId: 'a b' }, 'INVALID_REQUEST'],
    ['a runtime that is a number', { sessionToken: 'x', runtimeId: 7 }, 'INVALID_REQUEST'],
  ])('%s is 400', async (_name, body, code) => {
    const path = '/runtime/v1/sessions/ses_1/connect';
    expectError(await service.runtime({ method: 'POST', path, body }), 400, code);
  });
});

describe('concurrentSessions', () => {
  const limited = (concurrentSessions: number | null) =>
    createWorld(service, { project: { limits: { concurrentSessions } } });

  test('admits exactly the limit in a burst, and one more after every end', async () => {
    const crowd = await limited(3);
    const launches = await Promise.all(Array.from({ length: 12 }, () => launched(service, crowd)));
    const answers = await Promise.all(launches.map((launch) => connect(service, launch)));
    const admitted = launches.filter((_, n) => answers[n]?.status === 200);
    const [waiting, ...others] = launches.filter((_, n) => answers[n]?.status !== 200);
    expect({ admitted: admitted.length, refused: others.length + 1 }).toEqual({ admitted: 3, refused: 9 });
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 429, 'CONCURRENCY_LIMIT');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const ends = [
      (launch: Launch) =>
        report(service, [{ sessionId: launch.sessionId, seconds: 0, ended: 'idle_timeout' }]),
      (launch: Launch) => leave(service, launch.sessionId, launch.sessionToken),
      (launch: Launch) =>
        service.call({
          method: 'POST',
          path: `/v1/sessions/${launch.sessionId}/end`,
          headers: { Authorization: `Bearer ${crowd.key}` },
        }),
    ];
    let next = waiting!;
    for (const [n, over] of ends.entries()) {
      expectError(await connect(service, next), 429, 'CONCURRENCY_LIMIT');
      expect((await over(admitted[n]!)).status).toBeLessThan(300);
      expect((await connect(service, next)).status).toBe(200);
      next = others[n]!;
    }
    expectError(await connect(service, next), 429, 'CONCURRENCY_LIMIT');
  });

  test('counts sessions started before the limit was set, and keeps counting while it is lifted', async () => {
    const open = await limited(null);
    const launches = await Promise.all(Array.from({ length: 4 }, () => launched(service, open)));
    for (const launch of launches.slice(0, 2)) expect((await connect(service, launch)).status).toBe(200);
    const set = async (concurrentSessions: number | null) => {
      const project = { ...open.file.project, limits: { concurrentSessions } };
      expect((await apply(service, { project, experiences: [] })).status).toBe(200);
    };
    await set(2);
    expectError(await connect(service, launches[2]!), 429, 'CONCURRENCY_LIMIT');
    await set(null);
    expect((await connect(service, launches[2]!)).status).toBe(200);
    await set(3);
    expectError(await connect(service, launches[3]!), 429, 'CONCURRENCY_LIMIT');
  });

  test('of 0 refuses all sessions', async () => {
    const closed = await limited(0);
    expectError(await connect(service, await launched(service, closed)), 429, 'CONCURRENCY_LIMIT');
  });
});

describe('concurrentSessionsPerClient', () => {
  const limited = (limits: object) => createWorld(service, { project: { limits } });
  const from = (client?: string) => (launch: Launch) => connect(service, launch, 'rt_test', client);
  const perProject = 'This project has reached its limit of concurrent sessions.';
  const perClient = "This client's network has reached its limit of concurrent sessions in this project.";

  test('admits exactly the limit of each network in a burst, and one more after every end', async () => {
    const crowd = await limited({ concurrentSessionsPerClient: 3 });
    const networks = ['203.0.113.7', '2001:db8:1:2::/64'];
    for (const client of networks) {
      const launches = await Promise.all(Array.from({ length: 12 }, () => launched(service, crowd)));
      const answers = await Promise.all(launches.map(from(client)));
      const admitted = launches.filter((_, n) => answers[n]?.status === 200);
      const refused = launches.filter((_, n) => answers[n]?.status !== 200);
      expect([admitted.length, refused.length]).toEqual([3, 9]);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectError(answer, 429, 'CONCURRENCY_LIMIT');
        expect(answer.json.error.message).toBe(perClient);
        expect(answer.headers['retry-after']).toBe('5');
      }
      await leave(service, admitted[0]!.sessionId, admitted[0]!.sessionToken);
      expect((await from(client)(refused[0]!)).status).toBe(200);
      expectError(await from(client)(refused[1]!), 429, 'CONCURRENCY_LIMIT');
    }
  });

  test('ignores and admits sessions without a client address', async () => {
    const crowd = await limited({ concurrentSessionsPerClient: 1 });
    for (let n = 0; n < 3; n++) expect((await from()(await launched(service, crowd))).status).toBe(200);
    expect((await from('203.0.113.7')(await launched(service, crowd))).status).toBe(200);
    expectError(await from('203.0.113.7')(await launched(service, crowd)), 429, 'CONCURRENCY_LIMIT');
  });

  test('counts a network separately in each project', async () => {
    for (const crowd of [
      await limited({ concurrentSessionsPerClient: 1 }),
      await limited({ concurrentSessionsPerClient: 1 }),
    ])
      expect((await from('203.0.113.7')(await launched(service, crowd))).status).toBe(200);
  });

  test('is named in its refusal', async () => {
    const crowd = await limited({ concurrentSessions: 2, concurrentSessionsPerClient: 1 });
    const attempt = async (client: string) => from(client)(await launched(service, crowd));
    expect((await attempt('a')).status).toBe(200);
    expect((await attempt('a')).json.error.message).toBe(perClient);
    expect((await attempt('b')).status).toBe(200);
    expect((await attempt('c')).json.error.message).toBe(perProject);
  });

  test('of 0 refuses every client', async () => {
    const closed = await limited({ concurrentSessionsPerClient: 0 });
    expectError(await from('a')(await launched(service, closed)), 429, 'CONCURRENCY_LIMIT');
  });

  test.each(['', 'a b', 'x'.repeat(65), 'a\u0000', 7, null])('a client of %j is 400', async (client) => {
    const path = '/runtime/v1/sessions/ses_1/connect';
    const body = { sessionToken: 'x', runtimeId: 'rt', client };
    expectError(await service.runtime({ method: 'POST', path, body }), 400, 'INVALID_REQUEST');
  });

  test('the client address cannot be read from any endpoint', async () => {
    const answer = await connect(service, await launched(service, world), 'rt_test', '203.0.113.77');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('203.0.113.77');
    expect(JSON.stringify(await read(answer.json.session.sessionId))).not.toContain('203.0.113.77');
  });
});

describe('the two tokens of the admin listener', () => {
  test('the runtime token is accepted only on runtime endpoints', async () => {
    const paths = ['/admin/projects', '/admin/status', '/metrics', '/admin/openapi.json'];
    for (const path of [...paths, `/admin/projects/${world.projectId}/sessions`])
      expectError(await service.runtime({ path }), 401, 'ADMIN_TOKEN_INVALID');
    const { runtimeToken } = service;
    const body = { experienceId: world.experienceId };
    expectError(await mintFromServer(service, runtimeToken, body), 401, 'API_KEY_INVALID');
  });

  test('runtime endpoints accept only the runtime token', async () => {
    const launch = await launched(service, world);
    const path = `/runtime/v1/sessions/${launch.sessionId}/connect`;
    for (const token of [service.adminToken, world.key, launch.sessionToken, '']) {
      const headers = { Authorization: `Bearer ${token}` };
      for (const call of [
        { path, body: launch },
        { path: '/runtime/v1/reports', body: {} },
      ]) {
        const answer = await service.runtime({ method: 'POST', ...call, headers });
        expectError(answer, 401, 'RUNTIME_TOKEN_INVALID');
        expect(answer.headers['www-authenticate']).toBe('Bearer');
      }
    }
    expect((await connect(service, launch)).status).toBe(200);
  });

  test('runtime endpoints are not on the public listener', async () => {
    const { runtimeToken } = service;
    const path = '/runtime/v1/reports';
    const headers = { Authorization: `Bearer ${runtimeToken}` };
    expectError(await service.call({ method: 'POST', path, headers, body: {} }), 404, 'NOT_FOUND');
  });

  test('runtime endpoints accept only their documented methods', async () => {
    for (const path of ['/runtime/v1/reports', '/runtime/v1/sessions/ses_1/connect']) {
      const answer = await service.runtime({ path });
      expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      expect(answer.headers.allow).toBe('POST');
    }
  });
});
