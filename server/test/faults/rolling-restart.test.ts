import { startBalancer } from '@session-launch/testing/balancer.ts';
import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Fleet, postgresFleet, until, untilReady } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

const mint = (service: ServiceProcess, world: World) =>
  mintFromServer(service, world.key, { experienceId: world.experienceId });

const cleanup = useCleanup();
let fleet: Fleet;
beforeAll(async () => {
  fleet = await postgresFleet(cleanup);
});

/** The processes after the restarts, for tests of how they stop. A drain would wait long for their pollers. */
let serving: ServiceProcess[];

test('a rolling restart under load fails no request', async (context) => {
  const balancer = await startBalancer(context.onTestFinished);
  // A drain ends when the balancer has noticed, which can take longer than the default of five seconds on a loaded machine.
  const patient = { SHUTDOWN_GRACE_SECONDS: '60' };
  serving = await Promise.all([fleet.start(patient), fleet.start(patient)]);
  for (const { url } of serving) balancer.add(url);
  const world = await createWorld(serving[0]!, { project: { limits } });
  const history = new History();
  const load = new Load(history, {
    random: seededRandom(context),
    world,
    target: () => balancer.url,
    pauseMs: 100,
  });
  const launches = async (count: number) => {
    const before = load.acknowledged;
    await until(`${count} launches`, async () => load.acknowledged >= before + count);
  };

  const restarts = effort(2, 12);
  for (let restart = 0; restart < restarts; restart++) {
    await launches(100);
    const leaving = serving.shift()!;
    const ended = leaving.kill('SIGTERM');
    const successor = await fleet.start(patient);
    serving.push(successor);
    balancer.add(successor.url);
    expect(await ended, leaving.stderr()).toEqual({ code: 0, signal: null });
    balancer.remove(leaving.url);
    await launches(50);
  }
  await load.stop();
  for (const { url } of serving) balancer.remove(url);

  const { acknowledged, ...others } = history.tally();
  expect(acknowledged).toBeGreaterThan(300);
  // Invalid requests are rejected, and a concurrent request with the same key may get a 409.
  expect(Object.keys(others).filter((status) => !['400', '409'].includes(status))).toEqual([]);
  expect(history.problems(await storedAt(fleet.databaseUrl))).toEqual([]);
});

describe.concurrent('a shutdown', () => {
  test('on SIGTERM turns readiness off at once, keeps serving until load balancers have polled it, and closes each connection with its last response', async () => {
    const service = serving[0]!;
    const world = await createWorld(service);
    await untilReady(service);
    expect((await mint(service, world)).headers.connection).toBe('keep-alive');

    const ended = service.kill('SIGTERM');
    const told = await until('not ready', async () => {
      const answer = await service.call({ path: '/readyz' });
      return answer.status === 503 && answer;
    });
    expect(told.json).toEqual({
      status: 'unavailable',
      reason: 'the service is shutting down',
      runtime: 'off',
    });
    expect(told.headers.connection).toBe('close');
    const served = await mint(service, world);
    expect(served.status, served.text).toBe(201);
    expect(served.headers.connection).toBe('close');
    expect((await service.call({ path: '/healthz' })).status).toBe(200);
    // The poller gets two more responses, and a second passes without requests: then the drain has no poller to wait for.
    const stopped = performance.now();
    expect((await service.call({ path: '/readyz?again' })).status).toBe(503);
    expect((await service.call({ path: '/readyz' })).status).toBe(503);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - stopped).toBeLessThan(55_000);
  });

  test('waits for a load balancer that has not polled again, up to the grace period', async () => {
    const service = await fleet.start({ SHUTDOWN_GRACE_SECONDS: '3' });
    await untilReady(service);
    const stopped = performance.now();
    expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - stopped).toBeGreaterThan(2_900);
    expect(performance.now() - stopped).toBeLessThan(45_000);
  });

  const stops: [string, NodeJS.Signals, boolean][] = [
    ['Ctrl-C', 'SIGINT', true],
    ['SIGTERM if no load balancer polls', 'SIGTERM', false],
  ];
  test.for(stops)('ends at once on %s', async ([, signal, isBusy]) => {
    const service = isBusy ? serving[1]! : await fleet.start({ SHUTDOWN_GRACE_SECONDS: '60' });
    if (isBusy) {
      const world = await createWorld(service);
      await untilReady(service);
      expect((await mint(service, world)).status).toBe(201);
    }
    const stopped = performance.now();
    expect(await service.kill(signal)).toEqual({ code: 0, signal: null });
    expect(performance.now() - stopped).toBeLessThan(55_000);
  });
});
