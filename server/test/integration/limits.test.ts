import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '@session-launch/testing/http.ts';
import {
  apply,
  expectError,
  mintFromBrowser,
  sessionsOf,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { openRateLimits } from '../../src/limits/rate.ts';
import type { ApiError } from '../../src/primitives/errors.ts';
import { limitedWorld, limitFields, statuses, unlimited } from '../acceptance/limited-worlds.ts';
import { type Service, startService, useService } from '../harness/service.ts';

/** Trusts a proxy, so that a test can use several client addresses. */
const service = useService({ TRUST_PROXY: '127.0.0.1' });

/** Mints at the browser endpoint, from this machine or from the address that the proxy reports. */
function mint(world: World, headers: Record<string, string> = {}, client?: string): Promise<Answer> {
  const forwarded: Record<string, string> = client === undefined ? {} : { 'X-Forwarded-For': client };
  return mintFromBrowser(service, { experienceId: world.experienceId }, { ...forwarded, ...headers });
}

async function mints(world: World, count: number): Promise<number[]> {
  const answers: number[] = [];
  for (let i = 0; i < count; i++) answers.push((await mint(world)).status);
  return answers;
}

async function query<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return service.database.query<Row>('admin', { name: uniqueId('test'), text }, values);
}

async function used(projectId: string): Promise<number[]> {
  const text = 'SELECT used FROM daily_sessions WHERE project_id = $1 ORDER BY day';
  return (await query<{ used: number }>(text, [projectId])).map((row) => row.used);
}

/** The quota resets at midnight UTC, so no test may run across it. */
beforeEach(async () => {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < 60_000) await sleep(left + 100);
});

/** The embedded engine keeps rate windows in memory, so these tests are not defined there. */
const onPostgres =
  inject('engine') === 'postgres' ? test : (_title: string, _work: () => Promise<void>) => undefined;

describe('rate limits', () => {
  test('check the client window first, and a mint refused there is not charged to the project', async () => {
    const world = await limitedWorld(service, { mintsPerMinutePerClient: 2, mintsPerMinute: 5 });
    const from = (address: string) => mint(world, {}, address);
    const burst = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.2')));
    expect(statuses(burst)).toEqual({ 201: 2, 429: 18 });
    for (const answer of burst.filter((a) => a.status === 429)) {
      expect(answer.json.error.details.policy).toBe('client');
    }
    const second = await Promise.all(Array.from({ length: 20 }, () => from('203.0.113.3')));
    expect(statuses(second)).toEqual({ 201: 2, 429: 18 });
    const last = await from('203.0.113.4');
    expect(last.status).toBe(201);
    expect(limitFields(last.headers.ratelimit)).toMatchObject({ client: { r: 1 }, project: { r: 0 } });
    const refused = await from('203.0.113.5');
    expectError(refused, 429, 'RATE_LIMITED');
    expect(refused.json.error.details.policy).toBe('project');
    expect(await used(world.projectId)).toEqual([5]);
  });

  test('hold for many concurrent clients, and only mints within the client window are charged to the project', async () => {
    const world = await limitedWorld(service, { mintsPerMinutePerClient: 3, mintsPerMinute: 10 });
    const clients = Array.from({ length: 50 }, (_, n) => `203.0.113.${2 + (n % 5)}`);
    const burst = await Promise.all(clients.map((address) => mint(world, {}, address)));
    expect(statuses(burst)).toEqual({ 201: 10, 429: 40 });
    const refusedBy = (policy: string) =>
      burst.filter(({ status, json }) => status === 429 && json.error.details.policy === policy).length;
    expect([refusedBy('client'), refusedBy('project')]).toEqual([35, 5]);
    const places = burst
      .filter(({ status }) => status === 201)
      .map(({ headers }) => limitFields(headers.ratelimit).project?.r);
    expect(places.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await used(world.projectId)).toEqual([10]);
  });

  test('last a minute from the first mint, regardless of clean-up', async () => {
    const { projectId } = await limitedWorld(service, {});
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
    /** Shared windows use the clock of the database. */
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

  /** A project with a window of one mint. `spend` returns the seconds until it reopens, or the code of the refusal. */
  async function oneMint() {
    const { projectId } = await limitedWorld(service, {});
    const [rates, other] = [openRateLimits(service.database), openRateLimits(service.database)];
    const limits = { ...unlimited, mintsPerMinutePerClient: 1 };
    const spend = (from = rates) =>
      from.spend(projectId, limits, '192.0.2.1').then(
        ([budget]) => budget!.resetSeconds,
        (error: unknown) => (error as ApiError).code,
      );
    return { projectId, rates, other, limits, spend };
  }

  test('do not depend on the clock of the process', async () => {
    const { projectId, rates, limits, spend } = await oneMint();
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(await spend()).toBe(60);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await spend()).toBe('RATE_LIMITED');
    const refused = await rates.spend(projectId, limits, '192.0.2.1').catch((error: ApiError) => error);
    expect(Number((refused as ApiError).headers['Retry-After'])).toBeLessThanOrEqual(60);
  });

  onPostgres('reopen after the clock of the database is set back', async () => {
    const { projectId, rates, other, spend } = await oneMint();
    expect(await spend()).toBe(60);
    // Simulates a database clock that was an hour ahead when the window was opened.
    await query('UPDATE rate_windows SET expire = expire + 3600000 WHERE key LIKE $1', [`%${projectId}%`]);
    expect(await spend(other)).toBe(60);
    expect(await spend(other)).toBe('RATE_LIMITED');
    // Such a window is deleted as well.
    await query('UPDATE rate_windows SET expire = expire + 3600000 WHERE key LIKE $1', [`%${projectId}%`]);
    await rates.clean();
    expect(await query('SELECT FROM rate_windows WHERE key LIKE $1', [`%${projectId}%`])).toEqual([]);
  });

  test('of one client do not affect another', async () => {
    const world = await limitedWorld(service, { mintsPerMinutePerClient: 1 });
    for (const address of ['203.0.113.2', '203.0.113.3', '203.0.113.4']) {
      expect((await mint(world, {}, address)).status).toBe(201);
      expectError(await mint(world, {}, address), 429, 'RATE_LIMITED');
    }
  });

  test('are charged for a replay, which costs no quota', async () => {
    const world = await limitedWorld(service, { mintsPerMinutePerClient: 4, sessionsPerDay: 3 });
    const key = { 'Idempotency-Key': 'k' };
    const answers = [await mint(world, key), await mint(world, key), await mint(world, key)];
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers.map((answer) => limitFields(answer.headers.ratelimit).client!.r)).toEqual([3, 2, 1]);
    expect(answers.map((answer) => limitFields(answer.headers.ratelimit).day!.r)).toEqual([2, 2, 2]);
    expect(await used(world.projectId)).toEqual([1]);
    expect((await mint(world)).status).toBe(201);
    expectError(await mint(world, key), 429, 'RATE_LIMITED');
  });
});

describe('the daily quota', () => {
  test('is reset with the UTC day', async () => {
    const world = await limitedWorld(service, { sessionsPerDay: 2 });
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

  test('is returned with a replay too, also on the next day', async () => {
    const world = await limitedWorld(service, { sessionsPerDay: 5 });
    const key = { 'Idempotency-Key': 'k' };
    expect(limitFields((await mint(world, key)).headers.ratelimit).day!.r).toBe(4);
    await query('UPDATE daily_sessions SET day = day - 1 WHERE project_id = $1', [world.projectId]);
    const replay = await mint(world, key);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect(limitFields(replay.headers['ratelimit-policy'])).toEqual({ day: { q: 5, w: 86_400 } });
    expect(limitFields(replay.headers.ratelimit).day!.r).toBe(5);
  });

  test('is not charged for a mint that is refused', async () => {
    const world = await limitedWorld(service, { sessionsPerDay: 2 });
    const body = { experienceId: world.experienceId, secondaryLocale: 'x-none' };
    expectError(await mintFromBrowser(service, body), 400, 'INVALID_REQUEST');
    world.file.experiences[0]!.status = 'draft';
    await apply(service, world.file);
    expectError(await mint(world), 404, 'EXPERIENCE_NOT_PUBLISHED');
    world.file.experiences[0]!.status = 'published';
    await apply(service, world.file);
    expect(await mints(world, 4)).toEqual([201, 201, 429, 429]);
    expect(await used(world.projectId)).toEqual([2]);
    expect(await sessionsOf(service, world.projectId)).toHaveLength(2);
  });
});

/** Mints at a second service as a client with these headers. */
async function mintAt(
  at: Service,
  world: World,
  headers: Record<string, string | string[]>,
): Promise<number> {
  return (await mintFromBrowser(at, { experienceId: world.experienceId }, headers)).status;
}

describe('the client address', () => {
  test('behind a proxy in TRUST_PROXY is the right-most hop that is not a proxy', async () => {
    const world = await limitedWorld(service, { mintsPerMinutePerClient: 1 });
    // Each line is one client in all its notations; only its first mint is accepted.
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
      for (const way of ways) {
        answers.push(await mintAt(service, world, way === undefined ? {} : { 'X-Forwarded-For': way }));
      }
      expect(answers, JSON.stringify(ways)).toEqual([201, ...new Array(ways.length - 1).fill(429)]);
    }
  });

  test.each([
    ['no proxy is trusted', {}],
    ['the request does not come from the trusted proxy', { TRUST_PROXY: '192.0.2.1' }],
  ])('ignores X-Forwarded-For when %s', async (_name, env) => {
    const other = await startService(env, service);
    onTestFinished(() => other.close());
    const world = await limitedWorld(other, { mintsPerMinutePerClient: 2 });
    const spoofed = [
      { 'X-Forwarded-For': '203.0.113.1' },
      { 'X-Forwarded-For': '203.0.113.2, 198.51.100.7' },
      { 'X-Forwarded-For': '127.0.0.1' },
      { Forwarded: 'for=203.0.113.3' },
      { 'X-Real-IP': '203.0.113.4' },
    ];
    const answers = [];
    for (const headers of spoofed) answers.push(await mintAt(other, world, headers));
    expect(answers).toEqual([201, 201, 429, 429, 429]);
  });
});
