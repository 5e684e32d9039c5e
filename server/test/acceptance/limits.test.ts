import { setTimeout as sleep } from 'node:timers/promises';
import { deployedService } from '@session-launch/testing/deployment.ts';
import {
  apply,
  expectError,
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
  sessionsOf,
  uniqueId,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Limits, limitedWorld, limitFields, statuses, unlimited } from './limited-worlds.ts';

const service = deployedService();

async function limit(world: World, limits: Partial<Limits>): Promise<void> {
  Object.assign(world.file.project, { limits: { ...unlimited, ...limits } });
  const applied = await apply(service, world.file);
  expect(applied.status, applied.text).toBe(200);
}

/** Mints at the browser endpoint. */
const mint = (world: World) => mintFromBrowser(service, { experienceId: world.experienceId });

async function mints(world: World, count: number): Promise<number[]> {
  const answers: number[] = [];
  for (let i = 0; i < count; i++) answers.push((await mint(world)).status);
  return answers;
}

/** The quota resets at midnight UTC, so no test may run across it. */
beforeEach(async () => {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < 60_000) await sleep(left + 100);
});

const rules: [keyof Limits, string, string][] = [
  ['mintsPerMinutePerClient', 'RATE_LIMITED', 'client'],
  ['mintsPerMinute', 'RATE_LIMITED', 'project'],
  ['sessionsPerDay', 'QUOTA_EXCEEDED', 'day'],
];

describe.each(rules)('%s', (rule, code, policy) => {
  const windowSeconds = policy === 'day' ? 86_400 : 60;

  test('admits exactly the limit in a burst', async () => {
    const world = await limitedWorld(service, { [rule]: 25 });
    const answers = await Promise.all(Array.from({ length: 80 }, () => mint(world)));
    expect(statuses(answers)).toEqual({ 201: 25, 429: 55 });
    expect(await sessionsOf(service, world.projectId)).toHaveLength(25);
    expectError(await mint(world), 429, code);
    // Each response of the burst reports a different remaining quota.
    const left = answers
      .filter((a) => a.status === 201)
      .map((a) => limitFields(a.headers.ratelimit)[policy]!.r!);
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i));
  });

  test('counts the browser and the public endpoint together, and not the server endpoint', async () => {
    const world = await limitedWorld(service, { [rule]: 4 });
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
    expect(admitted.map((answer) => limitFields(answer.headers.ratelimit)[policy]!.r)).toEqual([3, 2, 1, 0]);
    expectError(await mintFromBrowser(service, body), 429, code);
    expectError(await mintFromPublic(service, body), 429, code);
    const server = await mintFromServer(service, world.key, body);
    expect(server.status).toBe(201);
    expect(server.headers.ratelimit).toBeUndefined();
    expect(server.headers['ratelimit-policy']).toBeUndefined();
  });

  test('returns the limit and the time to wait in a refusal', async () => {
    const world = await limitedWorld(service, { [rule]: 1 });
    const began = performance.now();
    const admitted = await mint(world);
    expect(limitFields(admitted.headers['ratelimit-policy'])).toEqual({
      [policy]: { q: 1, w: windowSeconds },
    });
    const state = limitFields(admitted.headers.ratelimit)[policy]!;
    expect(state.r).toBe(0);
    for (const refused of [await mint(world), await mint(world)]) {
      expectError(refused, 429, code);
      const retryAfter = refused.headers['retry-after']!;
      expect(retryAfter).toMatch(/^[1-9]\d*$/);
      expect(Number(retryAfter)).toBeLessThanOrEqual(state.t!);
      const passed = Math.ceil((performance.now() - began) / 1000);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(state.t! - passed - 1);
      expect(limitFields(refused.headers['ratelimit-policy'])).toEqual({
        [policy]: { q: 1, w: windowSeconds },
      });
      expect(limitFields(refused.headers.ratelimit)).toEqual({ [policy]: { r: 0, t: Number(retryAfter) } });
      expect(refused.headers['cache-control']).toBe('no-store, private');
      const exposed = String(refused.headers['access-control-expose-headers']).toLowerCase();
      expect(exposed).toContain('retry-after');
      expect(refused.headers['access-control-allow-origin']).toBe(pageOrigin);
    }
  });

  test('of 0 refuses all mints', async () => {
    const world = await limitedWorld(service, { [rule]: 0 });
    for (const answer of [await mint(world), await mint(world)]) {
      expectError(answer, 429, code);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(limitFields(answer.headers['ratelimit-policy'])[policy]).toEqual({ q: 0, w: windowSeconds });
    }
    expect(await sessionsOf(service, world.projectId)).toEqual([]);
  });

  test('takes effect at once when it is changed, and keeps what was spent', async () => {
    const world = await limitedWorld(service, { [rule]: 2 });
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

  test('of one project does not affect another', async () => {
    const [one, two] = [
      await limitedWorld(service, { [rule]: 1 }),
      await limitedWorld(service, { [rule]: 1 }),
    ];
    expect(await mints(one, 2)).toEqual([201, 429]);
    expect(await mints(two, 2)).toEqual([201, 429]);
  });

  test('is shared by the experiences of a project', async () => {
    const world = await limitedWorld(service, { [rule]: 2 });
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
  test('are not charged for a mint that is refused earlier', async () => {
    const world = await limitedWorld(service, { mintsPerMinute: 1 });
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
});

describe('the daily quota', () => {
  test('returns the time left of the UTC day', async () => {
    const world = await limitedWorld(service, { sessionsPerDay: 1 });
    const before = secondsLeft();
    const admitted = await mint(world);
    const refused = await mint(world);
    const after = secondsLeft();
    for (const seconds of [
      limitFields(admitted.headers.ratelimit).day!.t!,
      Number(refused.headers['retry-after']),
    ]) {
      expect(seconds).toBeLessThanOrEqual(before + 1);
      expect(seconds).toBeGreaterThanOrEqual(after);
    }
    function secondsLeft(): number {
      return Math.floor((86_400_000 - (Date.now() % 86_400_000)) / 1000);
    }
  });

  test('is counted while no limit is set, so that a later limit includes the day', async () => {
    const world = await limitedWorld(service, {});
    expect(await mints(world, 3)).toEqual([201, 201, 201]);
    await limit(world, { sessionsPerDay: 4 });
    expect(await mints(world, 2)).toEqual([201, 429]);
  });
});

describe('RateLimit-Policy and RateLimit', () => {
  const all: Limits = {
    mintsPerMinutePerClient: 30,
    mintsPerMinute: 600,
    sessionsPerDay: 10_000,
    concurrentSessions: null,
    concurrentSessionsPerClient: null,
  };

  test('name every limit of the project on a launch', async () => {
    const world = await limitedWorld(service, all);
    const body = { experienceId: world.experienceId };
    for (const answer of [await mintFromBrowser(service, body), await mintFromPublic(service, body)]) {
      expect(answer.headers['ratelimit-policy']).toBe(
        '"client";q=30;w=60, "project";q=600;w=60, "day";q=10000;w=86400',
      );
      expect(Object.keys(limitFields(answer.headers.ratelimit))).toEqual(['client', 'project', 'day']);
      const exposed = String(answer.headers['access-control-expose-headers']).toLowerCase();
      expect(exposed).toContain('ratelimit-policy');
    }
  });

  test('name every limit that was checked on a refusal by the quota', async () => {
    const world = await limitedWorld(service, { ...all, sessionsPerDay: 0 });
    const answer = await mint(world);
    expectError(answer, 429, 'QUOTA_EXCEEDED');
    expect(limitFields(answer.headers['ratelimit-policy'])).toEqual({
      client: { q: 30, w: 60 },
      project: { q: 600, w: 60 },
      day: { q: 0, w: 86_400 },
    });
    expect(limitFields(answer.headers.ratelimit)).toMatchObject({
      client: { r: 29 },
      project: { r: 599 },
      day: { r: 0 },
    });
  });

  test('omit a limit that is null, and are absent when all are', async () => {
    const some = await mint(await limitedWorld(service, { mintsPerMinute: 7 }));
    expect(some.headers['ratelimit-policy']).toBe('"project";q=7;w=60');
    const none = await limitedWorld(service, {});
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
