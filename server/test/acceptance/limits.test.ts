import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ApiError } from '../../src/errors.ts';
import { openRateLimits } from '../../src/limits/rate.ts';
import type { Answer } from '../harness/http.ts';
import { type Service, startService, useService } from '../harness/service.ts';
import {
  apply,
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  uniqueId,
  type World,
} from '../harness/world.ts';

const service = useService();

interface Limits {
  mintsPerMinutePerClient: number | null;
  mintsPerMinute: number | null;
  sessionsPerDay: number | null;
}
const unlimited: Limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: null };

/** A project whose one experience both browser doors launch. */
function limitedWorld(limits: Partial<Limits>, on: Service = service): Promise<World> {
  return createWorld(on, {
    project: { limits: { ...unlimited, ...limits } },
    experience: { public: true, allowedOrigins: [pageOrigin] },
  });
}

async function limit(world: World, limits: Partial<Limits>): Promise<void> {
  Object.assign(world.file.project, { limits: { ...unlimited, ...limits } });
  const applied = await apply(service, world.file);
  expect(applied.status, applied.text).toBe(200);
}

/** A mint through the browser door: from this machine's usual address, or from another one of its own. */
function mint(world: World, headers: Record<string, string> = {}, localAddress?: string): Promise<Answer> {
  return service.call({
    method: 'POST',
    path: '/v1/browser-sessions',
    headers: { Origin: pageOrigin, ...headers },
    body: { experienceId: world.experienceId },
    ...(localAddress === undefined ? {} : { localAddress }),
  });
}

async function mints(world: World, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await mint(world)).status);
  return statuses;
}

async function query<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return service.database.query<Row>('everyday', { name: uniqueId('test'), text }, values);
}

async function used(projectId: string): Promise<number[]> {
  const text = 'SELECT used FROM daily_sessions WHERE project_id = $1 ORDER BY day';
  return (await query<{ used: number }>(text, [projectId])).map((row) => row.used);
}

async function sessions(projectId: string): Promise<number> {
  const text = 'SELECT count(*)::integer AS n FROM sessions WHERE project_id = $1';
  return (await query<{ n: number }>(text, [projectId]))[0]!.n;
}

function statuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** RateLimit or RateLimit-Policy, taken apart: policy → parameters. */
function fields(header: string | string[] | undefined): Record<string, Record<string, number>> {
  const found: Record<string, Record<string, number>> = {};
  for (const item of String(header).split(', ')) {
    const [, policy, parameters] = /^"([a-z]+)"((?:;[a-z]=\d+)+)$/.exec(item) ?? [];
    expect(policy, `${header}`).toBeDefined();
    const pairs = parameters!
      .slice(1)
      .split(';')
      .map((parameter) => parameter.split('='));
    found[policy!] = Object.fromEntries(pairs.map(([name, value]) => [name, Number(value)]));
  }
  return found;
}

/** The quota is counted by the UTC day: no test may begin in one and end in the next. */
beforeEach(async () => {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < 10_000) await sleep(left + 100);
}, 20_000);

const rules: [keyof Limits, string, string][] = [
  ['mintsPerMinutePerClient', 'RATE_LIMITED', 'client'],
  ['mintsPerMinute', 'RATE_LIMITED', 'project'],
  ['sessionsPerDay', 'QUOTA_EXCEEDED', 'day'],
];

describe.each(rules)('%s', (rule, code, policy) => {
  const windowSeconds = policy === 'day' ? 86_400 : 60;

  test('admits a burst up to exactly the limit', async () => {
    const world = await limitedWorld({ [rule]: 25 });
    const answers = await Promise.all(Array.from({ length: 80 }, () => mint(world)));
    expect(statuses(answers)).toEqual({ 201: 25, 429: 55 });
    expect(await sessions(world.projectId)).toBe(25);
    expect(await used(world.projectId)).toEqual([25]);
    expectError(await mint(world), 429, code);
    // Everyone of the burst was told another place in it.
    const left = answers.filter((a) => a.status === 201).map((a) => fields(a.headers.ratelimit)[policy]!.r!);
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i));
  });

  test('counts the browser and the public door together, and no server', async () => {
    const world = await limitedWorld({ [rule]: 4 });
    const body = { experienceId: world.experienceId };
    for (let i = 0; i < 6; i++) {
      expect((await mintFromServer(service, world.liveKey, body)).status).toBe(201);
    }
    const admitted = [
      await mintFromBrowser(service, body),
      await mintFromPublic(service, body),
      await mintFromPublic(service, body),
      await mintFromBrowser(service, body),
    ];
    expect(admitted.map((answer) => answer.status)).toEqual([201, 200, 200, 201]);
    expect(admitted.map((answer) => fields(answer.headers.ratelimit)[policy]!.r)).toEqual([3, 2, 1, 0]);
    expectError(await mintFromBrowser(service, body), 429, code);
    expectError(await mintFromPublic(service, body), 429, code);
    const server = await mintFromServer(service, world.key, body);
    expect(server.status).toBe(201);
    expect(server.headers.ratelimit).toBeUndefined();
    expect(server.headers['ratelimit-policy']).toBeUndefined();
  });

  test('says in a refusal what the limit is and when to come back', async () => {
    const world = await limitedWorld({ [rule]: 1 });
    const admitted = await mint(world);
    expect(fields(admitted.headers['ratelimit-policy'])).toEqual({ [policy]: { q: 1, w: windowSeconds } });
    const state = fields(admitted.headers.ratelimit)[policy]!;
    expect(state.r).toBe(0);
    for (const refused of [await mint(world), await mint(world)]) {
      expectError(refused, 429, code);
      const retryAfter = refused.headers['retry-after']!;
      expect(retryAfter).toMatch(/^[1-9]\d*$/);
      expect(Number(retryAfter)).toBeLessThanOrEqual(state.t!);
      expect(Number(retryAfter)).toBeGreaterThan(state.t! - 10);
      expect(fields(refused.headers['ratelimit-policy'])).toEqual({ [policy]: { q: 1, w: windowSeconds } });
      expect(fields(refused.headers.ratelimit)).toEqual({ [policy]: { r: 0, t: Number(retryAfter) } });
      expect(refused.headers['cache-control']).toBe('no-store, private');
      const exposed = String(refused.headers['access-control-expose-headers']).toLowerCase();
      expect(exposed).toContain('retry-after');
      expect(refused.headers['access-control-allow-origin']).toBe(pageOrigin);
    }
  });

  test('of 0 admits nobody', async () => {
    const world = await limitedWorld({ [rule]: 0 });
    for (const answer of [await mint(world), await mint(world)]) {
      expectError(answer, 429, code);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(fields(answer.headers['ratelimit-policy'])[policy]).toEqual({ q: 0, w: windowSeconds });
    }
    expect(await sessions(world.projectId)).toBe(0);
  });

  test('takes effect at once when it is changed, and remembers what was spent', async () => {
    const world = await limitedWorld({ [rule]: 2 });
    expect(await mints(world, 5)).toEqual([201, 201, 429, 429, 429]);
    await limit(world, { [rule]: 5 });
    expect(await mints(world, 5)).toEqual([201, 201, 201, 429, 429]);
    await limit(world, { [rule]: 3 });
    expect(await mints(world, 2)).toEqual([429, 429]);
    await limit(world, { [rule]: 6 });
    expect(await mints(world, 2)).toEqual([201, 429]);
    await limit(world, {});
    expect(await mints(world, 3)).toEqual([201, 201, 201]);
  });

  test('of one project leaves another alone', async () => {
    const [one, two] = [await limitedWorld({ [rule]: 1 }), await limitedWorld({ [rule]: 1 })];
    expect(await mints(one, 2)).toEqual([201, 429]);
    expect(await mints(two, 2)).toEqual([201, 429]);
  });

  test('is shared by the experiences of a project', async () => {
    const world = await limitedWorld({ [rule]: 2 });
    const second = { ...world.file.experiences[0]!, id: uniqueId('exp'), slug: 'second' };
    world.file.experiences.push(second);
    expect((await apply(service, world.file)).status).toBe(200);
    expect((await mint(world)).status).toBe(201);
    expect((await mintFromBrowser(service, { experienceId: second.id })).status).toBe(201);
    expectError(await mintFromBrowser(service, { experienceId: second.id }), 429, code);
    expectError(await mint(world), 429, code);
  });
});

describe('rate limits', () => {
  test('ask the client first, and a mint that it refuses spends nothing of the project', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 2, mintsPerMinute: 5 });
    const from = (address: string) => mint(world, {}, address);
    const burst = await Promise.all(Array.from({ length: 20 }, () => from('127.0.0.2')));
    expect(statuses(burst)).toEqual({ 201: 2, 429: 18 });
    for (const answer of burst.filter((a) => a.status === 429)) {
      expect(answer.json.error.details.policy).toBe('client');
    }
    const second = await Promise.all(Array.from({ length: 20 }, () => from('127.0.0.3')));
    expect(statuses(second)).toEqual({ 201: 2, 429: 18 });
    const last = await from('127.0.0.4');
    expect(last.status).toBe(201);
    expect(fields(last.headers.ratelimit)).toMatchObject({ client: { r: 1 }, project: { r: 0 } });
    const refused = await from('127.0.0.5');
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.json.error.details.policy).toBe('project');
    expect(await used(world.projectId)).toEqual([5]);
  });

  test('hold when many clients come at once, and only those whom the client’s window admits ask the project’s', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 3, mintsPerMinute: 10 });
    const clients = Array.from({ length: 50 }, (_, n) => `127.0.0.${2 + (n % 5)}`);
    const burst = await Promise.all(clients.map((address) => mint(world, {}, address)));
    expect(statuses(burst)).toEqual({ 201: 10, 429: 40 });
    const refusedBy = (policy: string) =>
      burst.filter(({ status, json }) => status === 429 && json.error.details.policy === policy).length;
    expect([refusedBy('client'), refusedBy('project')]).toEqual([35, 5]);
    const places = burst
      .filter(({ status }) => status === 201)
      .map(({ headers }) => fields(headers.ratelimit).project?.r);
    expect(places.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await used(world.projectId)).toEqual([10]);
  });

  test('last a minute from the first mint, whatever is cleaned up meanwhile', async () => {
    const { projectId } = await limitedWorld({});
    const rates = openRateLimits(service.database);
    const spend = () =>
      rates.spend(projectId, { ...unlimited, mintsPerMinutePerClient: 2 }, '192.0.2.1').then(
        ([budget]) => budget!.remaining,
        (error: unknown) => (error as ApiError).code,
      );
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    /** Where windows are shared, they are timed by the database. */
    const pass = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await query('UPDATE rate_windows SET expire = expire - $1 WHERE key LIKE $2', [ms, `%${projectId}%`]);
    };
    expect([await spend(), await spend(), await spend()]).toEqual([1, 0, 'RATE_LIMITED']);
    await rates.clean();
    await pass(30_000);
    expect(await spend()).toBe('RATE_LIMITED');
    await pass(30_000);
    expect([await spend(), await spend(), await spend()]).toEqual([1, 0, 'RATE_LIMITED']);
    await pass(4 * 60_000);
    await rates.clean();
    expect(await query('SELECT FROM rate_windows WHERE key LIKE $1', [`%${projectId}%`])).toEqual([]);
    expect(await spend()).toBe(1);
  });

  test('are open again after the clock was set back', async () => {
    const { projectId } = await limitedWorld({});
    const [rates, other] = [openRateLimits(service.database), openRateLimits(service.database)];
    const limits = { ...unlimited, mintsPerMinutePerClient: 1 };
    const spend = (from = rates) =>
      from.spend(projectId, limits, '192.0.2.1').then(
        ([budget]) => budget!.resetSeconds,
        (error: unknown) => (error as ApiError).code,
      );
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(await spend()).toBe(60);
    // A process has its own idea of the time: nothing depends on it.
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await spend()).toBe('RATE_LIMITED');
    const refused = await rates.spend(projectId, limits, '192.0.2.1').catch((error: ApiError) => error);
    expect(Number((refused as ApiError).headers['Retry-After'])).toBeLessThanOrEqual(60);
    if (service.databaseUrl === undefined) return;
    // The clock of the database was an hour ahead when the window was opened.
    await query('UPDATE rate_windows SET expire = expire + 3600000 WHERE key LIKE $1', [`%${projectId}%`]);
    expect(await spend(other)).toBe(60);
    expect(await spend(other)).toBe('RATE_LIMITED');
    // Such a window is cleaned up as well.
    await query('UPDATE rate_windows SET expire = expire + 3600000 WHERE key LIKE $1', [`%${projectId}%`]);
    await rates.clean();
    expect(await query('SELECT FROM rate_windows WHERE key LIKE $1', [`%${projectId}%`])).toEqual([]);
  });

  test('of one client leave another alone', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 1 });
    for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
      expect((await mint(world, {}, address)).status).toBe(201);
      expectError(await mint(world, {}, address), 429, 'RATE_LIMITED');
    }
  });

  test('are spent by a replay, which spends no quota', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 4, sessionsPerDay: 3 });
    const key = { 'Idempotency-Key': 'k' };
    const answers = [await mint(world, key), await mint(world, key), await mint(world, key)];
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.map((answer) => fields(answer.headers.ratelimit).client!.r)).toEqual([3, 2, 1]);
    expect(answers.map((answer) => fields(answer.headers.ratelimit).day!.r)).toEqual([2, 2, 2]);
    expect(await used(world.projectId)).toEqual([1]);
    expect((await mint(world)).status).toBe(201);
    expectError(await mint(world, key), 429, 'RATE_LIMITED');
  });

  test('are not spent by a mint that is refused before they are asked', async () => {
    const world = await limitedWorld({ mintsPerMinute: 1 });
    const nobody = { Origin: 'https://elsewhere.example.com' };
    expectError(
      await mintFromBrowser(service, { experienceId: world.experienceId }, nobody),
      403,
      'ORIGIN_NOT_ALLOWED',
    );
    expectError(
      await mintFromBrowser(service, { experienceId: world.experienceId, mode: 1 }),
      400,
      'INVALID_REQUEST',
    );
    expect((await mint(world)).status).toBe(201);
  });

  test('believe no X-Forwarded-For as long as no proxy is named', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 2 });
    const spoofed = [
      { 'X-Forwarded-For': '203.0.113.1' },
      { 'X-Forwarded-For': '203.0.113.2, 198.51.100.7' },
      { 'X-Forwarded-For': '127.0.0.1' },
      { Forwarded: 'for=203.0.113.3' },
      { 'X-Real-IP': '203.0.113.4' },
    ];
    const answers = [];
    for (const headers of spoofed) answers.push(await mint(world, headers));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 429, 429, 429]);
  });
});

describe('the daily quota', () => {
  test('starts anew with the UTC day', async () => {
    const world = await limitedWorld({ sessionsPerDay: 2 });
    expect(await mints(world, 3)).toEqual([201, 201, 429]);
    await query('UPDATE daily_sessions SET day = day - 1 WHERE project_id = $1', [world.projectId]);
    expect(await mints(world, 3)).toEqual([201, 201, 429]);
    expect(await used(world.projectId)).toEqual([2, 2]);
    const day = new Date().toISOString().slice(0, 10);
    const rows = await query<{ day: string }>(
      'SELECT max(day)::text AS day FROM daily_sessions WHERE project_id = $1',
      [world.projectId],
    );
    expect(rows[0]!.day).toBe(day);
  });

  test('tells how long the UTC day still lasts', async () => {
    const world = await limitedWorld({ sessionsPerDay: 1 });
    const before = secondsLeft();
    const admitted = await mint(world);
    const refused = await mint(world);
    const after = secondsLeft();
    for (const seconds of [
      fields(admitted.headers.ratelimit).day!.t!,
      Number(refused.headers['retry-after']),
    ]) {
      expect(seconds).toBeLessThanOrEqual(before + 1);
      expect(seconds).toBeGreaterThanOrEqual(after);
    }
    function secondsLeft(): number {
      return Math.floor((86_400_000 - (Date.now() % 86_400_000)) / 1000);
    }
  });

  test('is told to a replay too, on the day after as well', async () => {
    const world = await limitedWorld({ sessionsPerDay: 5 });
    const key = { 'Idempotency-Key': 'k' };
    expect(fields((await mint(world, key)).headers.ratelimit).day!.r).toBe(4);
    await query('UPDATE daily_sessions SET day = day - 1 WHERE project_id = $1', [world.projectId]);
    const replay = await mint(world, key);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(fields(replay.headers['ratelimit-policy'])).toEqual({ day: { q: 5, w: 86_400 } });
    expect(fields(replay.headers.ratelimit).day!.r).toBe(5);
  });

  test('is not spent by a mint that is refused', async () => {
    const world = await limitedWorld({ sessionsPerDay: 2 });
    const body = { experienceId: world.experienceId, secondaryLocale: 'x-none' };
    expectError(await mintFromBrowser(service, body), 400, 'INVALID_REQUEST');
    world.file.experiences[0]!.status = 'draft';
    await apply(service, world.file);
    expectError(await mint(world), 404, 'EXPERIENCE_NOT_PUBLISHED');
    world.file.experiences[0]!.status = 'published';
    await apply(service, world.file);
    expect(await mints(world, 4)).toEqual([201, 201, 429, 429]);
    expect(await used(world.projectId)).toEqual([2]);
    expect(await sessions(world.projectId)).toBe(2);
  });

  test('counts while there is none, so that a limit set later knows the day', async () => {
    const world = await limitedWorld({});
    expect(await mints(world, 3)).toEqual([201, 201, 201]);
    await limit(world, { sessionsPerDay: 4 });
    expect(await mints(world, 2)).toEqual([201, 429]);
  });
});

describe('RateLimit-Policy and RateLimit', () => {
  const all: Limits = { mintsPerMinutePerClient: 30, mintsPerMinute: 600, sessionsPerDay: 10_000 };

  test('name every limit of the project on a launch', async () => {
    const world = await limitedWorld(all);
    const body = { experienceId: world.experienceId };
    for (const answer of [await mintFromBrowser(service, body), await mintFromPublic(service, body)]) {
      expect(answer.headers['ratelimit-policy']).toBe(
        '"client";q=30;w=60, "project";q=600;w=60, "day";q=10000;w=86400',
      );
      expect(Object.keys(fields(answer.headers.ratelimit))).toEqual(['client', 'project', 'day']);
      const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase();
      expect(exposed).toContain('ratelimit-policy');
    }
  });

  test('name every limit that was asked on a refusal by the quota', async () => {
    const world = await limitedWorld({ ...all, sessionsPerDay: 0 });
    const answer = await mint(world);
    expectError(answer, 429, 'QUOTA_EXCEEDED');
    expect(fields(answer.headers['ratelimit-policy'])).toEqual({
      client: { q: 30, w: 60 },
      project: { q: 600, w: 60 },
      day: { q: 0, w: 86_400 },
    });
    expect(fields(answer.headers.ratelimit)).toMatchObject({
      client: { r: 29 },
      project: { r: 599 },
      day: { r: 0 },
    });
  });

  test('leave out a limit that is null, and are absent when all are', async () => {
    const some = await mint(await limitedWorld({ mintsPerMinute: 7 }));
    expect(some.headers['ratelimit-policy']).toBe('"project";q=7;w=60');
    const none = await limitedWorld({});
    const body = { experienceId: none.experienceId };
    for (const answer of [
      await mintFromBrowser(service, body, { 'Idempotency-Key': 'k' }),
      await mintFromBrowser(service, body, { 'Idempotency-Key': 'k' }),
      await mintFromPublic(service, body),
    ]) {
      expect(answer.status).toBeLessThan(202);
      expect(answer.headers['ratelimit-policy']).toBeUndefined();
      expect(answer.headers.ratelimit).toBeUndefined();
    }
  });
});

describe('behind a proxy that TRUST_PROXY names', () => {
  let proxied: Service;
  beforeEach(async () => {
    proxied = await startService({ TRUST_PROXY: '127.0.0.1' });
  });
  afterEach(() => proxied.close());

  test('a mint counts for the right-most hop that is no proxy', async () => {
    const world = await limitedWorld({ mintsPerMinutePerClient: 1 }, proxied);
    const from = async (forwardedFor: string | string[] | undefined, localAddress?: string) =>
      (
        await proxied.call({
          method: 'POST',
          path: '/v1/browser-sessions',
          headers: {
            Origin: pageOrigin,
            ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
          },
          body: { experienceId: world.experienceId },
          ...(localAddress === undefined ? {} : { localAddress }),
        })
      ).status;
    // Each line is one client, in every way in which it can come; only its first mint is admitted.
    const clients: (string | string[] | undefined)[][] = [
      [
        '203.0.113.1',
        '198.51.100.1, 203.0.113.1',
        '203.0.113.1, 127.0.0.1',
        '203.0.113.1:4711',
        '::ffff:203.0.113.1',
      ],
      ['203.0.113.2', 'junk, 203.0.113.2', ['203.0.113.1', '203.0.113.2'], '127.0.0.1, 203.0.113.2'],
      ['2001:db8:0:1::1', '2001:DB8:0:1:ffff::2', '[2001:db8:0:1::3]', '[2001:db8:0:1::4]:443'],
      ['2001:db8:0:2::1', '2001:db8::2:0:0:0:9'],
      [undefined, '127.0.0.1', 'junk', '203.0.113.9, junk', ''],
    ];
    for (const ways of clients) {
      const answers = [];
      for (const way of ways) answers.push(await from(way));
      expect(answers, JSON.stringify(ways)).toEqual([201, ...new Array(ways.length - 1).fill(429)]);
    }
    // Whoever does not come through the proxy is not believed.
    expect(await from('203.0.113.50', '127.0.0.2')).toBe(201);
    expect(await from('203.0.113.51', '127.0.0.2')).toBe(429);
  });
});
