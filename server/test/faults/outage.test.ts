import { setTimeout as sleep } from 'node:timers/promises';
import { postgresFleet, until } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld, expectError, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { seededRandom } from './random.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/** A mint whose write was cut off is tried again for eight seconds; the rest is for a machine with other things to do. */
const longestWait = 45_000;

/** A mint that nobody can record: its experience is known, its session never comes to be. */
async function refusedMint(service: ServiceProcess, world: World): Promise<{ answer: Answer; ms: number }> {
  const sent = performance.now();
  const answer = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  return { answer, ms: performance.now() - sent };
}

/** What callers meet while the database is away: a refusal that says when to come back, and soon. */
async function expectPromptRefusals(service: ServiceProcess, world: World): Promise<void> {
  const waits: number[] = [];
  for (let n = 0; n < 10; n++) {
    const { answer, ms } = await refusedMint(service, world);
    expectError(answer, 503, 'UNAVAILABLE');
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    waits.push(ms);
    await sleep(20);
  }
  // The machine may hold up some of them, the service none.
  expect(Math.min(...waits)).toBeLessThan(2_000);
}

test('PostgreSQL crashes under load: alive but not ready, with a reason, refusals meanwhile, and after its return the same process serves', async (context) => {
  const server = await startPostgres({ durable: true });
  context.onTestFinished(() => server.dispose());
  const fleet = await postgresFleet(context.onTestFinished, server.url('postgres'));
  const service = await fleet.start();
  const world = await createWorld(service, { project: { limits } });
  const readiness = () => service.call({ path: '/readyz' });
  const history = new History();
  const load = new Load(history, {
    random: seededRandom(context),
    world,
    target: () => service.url,
    pauseMs: 10,
  });
  const launches = (count: number) => {
    const before = load.acknowledged;
    return until(`${count} launches`, async () => load.acknowledged >= before + count);
  };

  for (let round = 0; round < effort(1, 6); round++) {
    await launches(200);
    await history.breaking(() => server.stop('immediate'));
    const unready = await until('not ready', async () => {
      const answer = await readiness();
      return answer.status === 503 && answer;
    });
    expect(unready.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(unready.json.reason).toMatch(/database/);
    expect(unready.text).not.toMatch(/127\.0\.0\.1|postgres/);
    await expectPromptRefusals(service, world);
    expect((await readiness()).status).toBe(503);
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
    await server.start();
    await until('ready again', async () => (await readiness()).status === 200);
    await launches(50);
  }
  for (let round = 0; round < effort(1, 10); round++) {
    // A crash, and a stop as an operator asks for it, which takes its leave of every connection.
    for (const how of ['immediate', 'fast'] as const) {
      await launches(100);
      await history.breaking(() => server.stop(how).then(server.start));
      await until(`ready after a short stop (${how})`, async () => (await readiness()).status === 200);
      await launches(50);
    }
  }
  await load.stop();

  expect(history.problems(await storedAt(fleet.databaseUrl))).toEqual([]);
  expect(history.tally()['503']).toBeGreaterThan(0);
  expect(history.tally().unknown, 'connections to the service that broke').toBeUndefined();
  const waits = history.attempts.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
  expect(Math.max(...waits)).toBeLessThan(longestWait);
});
