import { setTimeout as sleep } from 'node:timers/promises';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet, until, untilReady } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { median } from '@session-launch/testing/median.ts';
import { onDatabase, type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import {
  createWorld,
  expectError,
  mintFromBrowser,
  mintFromServer,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { History } from './history.ts';
import { expectLived, LiveLoad, wrong } from './live-sessions.ts';
import { Load } from './load.ts';
import { askAt, stored } from './stored.ts';

const cleanup = useCleanup();
let server: PostgresServer;
let service: ServiceProcess;
beforeAll(async () => {
  server = await startPostgres({ durable: true });
  cleanup(server.dispose);
  service = await (await postgresFleet(cleanup, server.url('postgres'))).start();
});
const readiness = () => service.call({ path: '/readyz' });

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/** A mint whose write was interrupted is retried for eight seconds; the rest allows for a loaded machine. */
const longestWait = 45_000;

/** A mint that cannot be recorded: its experience is cached, but the database is unavailable. */
async function refusedMint(world: World): Promise<{ answer: Answer; ms: number }> {
  const sent = performance.now();
  const answer = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  return { answer, ms: performance.now() - sent };
}

/** Expects that mints are rejected quickly with a Retry-After while the database is unavailable. */
async function expectPromptRefusals(world: World): Promise<void> {
  const waits: number[] = [];
  for (let n = 0; n < 10; n++) {
    const { answer, ms } = await refusedMint(world);
    expectError(answer, 503, 'UNAVAILABLE');
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    waits.push(ms);
    await sleep(20);
  }
  expectWithin(median(waits), 2_000);
}

test('when PostgreSQL crashes under load, the service is alive but not ready, refuses with a reason, and recovers without a restart; sessions start once, and their usage never decreases', async (context) => {
  const world = await createWorld(service, { project: { limits } });
  const living = await createWorld(service);
  const history = new History();
  const load = new Load(history, {
    random: seededRandom(context),
    world,
    target: () => service.url,
    pauseMs: 50,
  });
  const live = new LiveLoad({ world: living, workers: 4, pauseMs: 150, target: async () => service });
  // Also stops the load if the test fails, since the next test uses the same service.
  context.onTestFinished(async () => void (await Promise.all([load.stop(), live.stop()])));
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
    await expectPromptRefusals(world);
    expect((await readiness()).status).toBe(503);
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
    await server.start();
    await untilReady(service);
    await launches(50);
  }
  for (let round = 0; round < effort(1, 10); round++) {
    // A crash, and a regular shutdown, which terminates every connection.
    for (const how of ['immediate', 'fast'] as const) {
      await launches(100);
      await history.breaking(() => server.stop(how).then(server.start));
      await untilReady(service);
      await launches(50);
    }
  }
  await Promise.all([load.stop(), live.stop()]);

  const ask = askAt(server.url('postgres'));
  expect(history.problems(await stored(ask, world.projectId))).toEqual([]);
  expect(live.broken).toBeGreaterThan(0);
  expectLived(live.seen);
  expect(await ask(wrong)).toEqual([]);
  expect(history.tally()['503']).toBeGreaterThan(0);
  expect(history.tally().unknown, 'connections to the service that broke').toBeUndefined();
  const waits = history.attempts.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
  expect(Math.max(...waits)).toBeLessThan(longestWait);
});

test('a process whose database rejects writes is not ready: read-only, then demoted, then promoted', async () => {
  const generous = { mintsPerMinutePerClient: 1_000, mintsPerMinute: null, sessionsPerDay: null };
  const world = await createWorld(service, { project: { limits: generous } });
  const body = { experienceId: world.experienceId };
  const mints = {
    server: () => mintFromServer(service, world.key, body),
    browser: () => mintFromBrowser(service, body),
  };

  const expectMinting = async () => {
    await untilReady(service);
    for (const mint of Object.values(mints)) expect((await mint()).status).toBe(201);
  };
  const expectNoWrites = async () => {
    const reason = 'the database takes no writes';
    // On a busy machine, the check can time out.
    const says = () =>
      until('a check in time', async () => {
        const { status, reason = status } = (await readiness()).json;
        return reason !== 'the database does not answer in time' && reason;
      });
    await until(reason, async () => (await says()) === reason);
    for (const mint of Object.values(mints)) expectError(await mint(), 503, 'UNAVAILABLE');
    expect(await says()).toBe(reason);
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
  };
  const run = (...texts: string[]) =>
    onDatabase(server.url('postgres'), async (client) => {
      for (const text of texts) await client.query(text);
    });

  await expectMinting();
  await run('ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
  await expectNoWrites();
  await run(
    'SET default_transaction_read_only = off',
    'ALTER SYSTEM RESET default_transaction_read_only',
    'SELECT pg_reload_conf()',
  );
  await expectMinting();

  await server.demote();
  await expectNoWrites();
  await run('SELECT pg_promote()');
  await expectMinting();
});
