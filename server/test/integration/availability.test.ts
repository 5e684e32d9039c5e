import { connect } from '@session-launch/testing/lifecycle.ts';
import {
  apply,
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
} from '@session-launch/testing/world.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unlimited } from '../acceptance/limited-worlds.ts';
import { effort } from '../harness/effort.ts';
import { noHousekeeping, useService } from '../harness/service.ts';
import { everyTable } from '../harness/stored-places.ts';

const service = useService({ TRUST_PROXY: '127.0.0.1,::1' }, noHousekeeping);
const mints = { browser: mintFromBrowser, public: mintFromPublic };
type Endpoint = keyof typeof mints;

let networks = 0;
/** The header of a client in a network of its own, because each one may ask 120 times a minute. */
const ofAnotherClient = () => ({ 'X-Forwarded-For': `10.${++networks >> 8}.${networks & 255}.1` });

const ask = (experienceId: string, query = '', headers: Record<string, string> = {}) =>
  service.call({
    path: `/v1/experiences/${experienceId}/availability${query}`,
    headers: { Origin: pageOrigin, ...ofAnotherClient(), ...headers },
  });

const openWorld = (project: object = {}) =>
  createWorld(service, { project, experience: { public: true, allowedOrigins: [pageOrigin] } });

const maybe = fc.option(fc.integer({ min: 0, max: 2 }), { nil: null });
const situations = fc.record({
  embeds: fc.boolean(),
  isListed: fc.boolean(),
  isKnown: fc.boolean(),
  isPublic: fc.boolean(),
  status: fc.constantFrom('published', 'published', 'draft', 'archived'),
  limits: fc.record({
    mintsPerMinutePerClient: maybe,
    mintsPerMinute: maybe,
    sessionsPerDay: maybe,
    concurrentSessions: maybe,
    concurrentSessionsPerClient: maybe,
  }),
  earlier: fc.integer({ min: 0, max: 2 }),
});

const open = {
  embeds: true,
  isListed: true,
  isKnown: true,
  isPublic: true,
  status: 'published',
  limits: unlimited,
  earlier: 1,
};
/** One situation for each code. */
const oneOfEach = [
  {},
  { isKnown: false },
  { embeds: false },
  { isListed: false },
  { status: 'draft' },
  { limits: { ...unlimited, mintsPerMinute: 1 } },
  { limits: { ...unlimited, sessionsPerDay: 1 } },
  { limits: { ...unlimited, concurrentSessions: 1 } },
].map((one): [typeof open] => [{ ...open, ...one }]);

/** Half of the situations pass the checks before the limits. */
const mostlyOpen = fc.oneof(
  situations,
  situations.map(({ limits, earlier }) => ({ ...open, limits, earlier })),
);

describe.each(['browser', 'public'] as const)('at the %s endpoint', (endpoint: Endpoint) => {
  test('the answer is what a mint and the connect after it get', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        mostlyOpen,
        async ({ embeds, isListed, isKnown, isPublic, status, limits, earlier }) => {
          const world = await openWorld();
          const client = ofAnotherClient();
          const network = client['X-Forwarded-For'];
          const start = async (experienceId: string) => {
            const minted = await mints[endpoint](service, { experienceId }, client);
            if (minted.status >= 300) return minted;
            const launch = endpoint === 'public' ? minted.json : minted.json.launch;
            return connect(service, launch, 'rt_test', network);
          };
          Object.assign(world.file.project, { limits: { ...unlimited, ...limits } });
          await apply(service, world.file);
          for (let n = 0; n < earlier; n++) await start(world.experienceId);
          Object.assign(world.file.project, {
            browserEmbeds: embeds,
            allowedOrigins: isListed ? [pageOrigin] : [],
          });
          Object.assign(world.file.experiences[0]!, {
            public: isPublic,
            status,
            allowedOrigins: isListed ? [pageOrigin] : [],
          });
          expect((await apply(service, world.file)).status).toBe(200);

          const experienceId = isKnown ? world.experienceId : 'exp_unknown';
          const asked = await ask(experienceId, `?door=${endpoint}`, client);
          expect(asked.status, asked.text).toBe(200);
          const started = await start(experienceId);
          const { error } = started.json;
          seen.add(error?.code ?? 'available');
          const { retryAfter, ...answer } = asked.json;
          expect(answer).toEqual(
            error === undefined
              ? { available: true }
              : { available: false, code: error.code, message: expect.any(String) },
          );
          expect(retryAfter === undefined).toBe(started.headers['retry-after'] === undefined);
        },
      ),
      { numRuns: effort(30, 100), examples: oneOfEach },
    );
    expect([...seen].sort()).toEqual([
      'BROWSER_EMBEDS_DISABLED',
      'CONCURRENCY_LIMIT',
      'EXPERIENCE_NOT_FOUND',
      'EXPERIENCE_NOT_PUBLISHED',
      'ORIGIN_NOT_ALLOWED',
      'QUOTA_EXCEEDED',
      'RATE_LIMITED',
      'available',
    ]);
  });

  test('asking leaves no trace', async () => {
    const limits = {
      mintsPerMinutePerClient: 2,
      mintsPerMinute: 2,
      sessionsPerDay: 2,
      concurrentSessions: 1,
    };
    const { experienceId } = await openWorld({ limits: { ...unlimited, ...limits } });
    await service.tallies.flush();
    const before = await everyTable(service.database);
    for (let n = 0; n < 5; n++)
      expect((await ask(experienceId, `?door=${endpoint}`)).json).toEqual({ available: true });
    await ask('exp_unknown', `?door=${endpoint}`);
    await ask(experienceId, `?door=${endpoint}`, { Origin: 'https://nope.example' });
    await service.tallies.flush();
    expect(await everyTable(service.database)).toEqual(before);
    for (let n = 0; n < 2; n++)
      expect((await mints[endpoint](service, { experienceId })).status).toBeLessThan(300);
  });

  test('a page may read the answers that it may read of a mint, for five seconds', async () => {
    const { experienceId } = await openWorld();
    const answer = await ask(experienceId, `?door=${endpoint}`);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, max-age=5',
      vary: 'Origin',
      'access-control-allow-origin': pageOrigin,
    });
    for (const [path, origin] of [
      [experienceId, 'https://nope.example'],
      ['exp_unknown', pageOrigin],
      [experienceId, 'null'],
    ] as const) {
      const asked = await ask(path, `?door=${endpoint}`, { Origin: origin });
      const minted = await mints[endpoint](service, { experienceId: path }, { Origin: origin });
      expect(asked.headers['access-control-allow-origin']).toBe(
        minted.headers['access-control-allow-origin'],
      );
    }
    const preflight = await service.call({
      method: 'OPTIONS',
      path: `/v1/experiences/${experienceId}/availability?door=${endpoint}`,
      headers: { Origin: pageOrigin, 'Access-Control-Request-Method': 'GET' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET']);
  });
});

test('without a door, the endpoint is that of browser sessions', async () => {
  const { experienceId } = await createWorld(service);
  expect((await ask(experienceId)).json).toEqual({ available: true });
  expect((await ask(experienceId, '?door=public')).json).toMatchObject({ code: 'EXPERIENCE_NOT_FOUND' });
});

test('rejects a missing Origin and unknown parameters', async () => {
  const { experienceId } = await createWorld(service);
  const path = `/v1/experiences/${experienceId}/availability`;
  expectError(await service.call({ path }), 403, 'ORIGIN_REQUIRED');
  expectError(await ask(experienceId, '?door=server'), 400, 'INVALID_REQUEST');
  expectError(await ask(experienceId, '?colour=red'), 400, 'INVALID_REQUEST');
  expectError(await service.call({ method: 'POST', path }), 405, 'METHOD_NOT_ALLOWED');
});

test('a client may ask 120 times a minute, apart from its mints', async () => {
  const { experienceId, key } = await createWorld(service);
  const client = ofAnotherClient();
  const answers = await Promise.all(Array.from({ length: 130 }, () => ask(experienceId, '', client)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(10);
  expectError(refused[0]!, 429, 'RATE_LIMITED');
  expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect((await ask(experienceId)).status).toBe(200);
  expect((await mintFromServer(service, key, { experienceId })).status).toBe(201);
  expect((await mintFromBrowser(service, { experienceId }, client)).status).toBe(201);
});
