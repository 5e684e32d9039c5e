import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import { Client, type Measured } from '@session-launch/testing/open-loop.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { maxInFlight, mintRequests, type Sample, sample } from '../faults/overloaded.ts';
import { storedAt, storedIn } from '../faults/stored.ts';

const connections = 4_000;

/** Takes samples continuously while `work` runs. */
async function watched<T>(
  service: ServiceProcess,
  work: Promise<T>,
): Promise<{ result: T; samples: Sample[] }> {
  const samples: Sample[] = [];
  let running = true;
  const watching = (async () => {
    while (running) {
      samples.push(await sample(service));
      await sleep(100);
    }
  })();
  const result = await work;
  running = false;
  await watching;
  return { result, samples };
}

/**
 * Measures the capacity of the service, then sends twice that rate and more until it rejects requests, and checks its behaviour. Resolves
 * with the total number of acknowledged launches.
 */
async function overload(service: ServiceProcess, seconds: number): Promise<number> {
  const world = await createWorld(service);
  const client = new Client(service.url, mintRequests(world));
  onTestFinished(() => client.close());
  await client.open(connections);
  const rounds: Measured[] = [];
  const speed = async (forSeconds: number) => {
    // Enough concurrent requests for the largest and most efficient batches.
    const round = await client.closedLoop(maxInFlight / 2, forSeconds);
    rounds.push(round);
    return round.perSecond(201);
  };
  await speed(0.5);
  const sustainable = await speed(1);
  const before = await sample(service);

  // If the machine was slow during calibration, twice the measured rate may not be an overload; then the factor is raised.
  let burdened: { result: Measured; samples: Sample[] };
  let factor = 2;
  do {
    burdened = await watched(service, client.openLoop(sustainable * factor, seconds, 30_000));
    rounds.push(burdened.result);
    factor *= 1.5;
  } while (burdened.result.replies.every(({ status }) => status === 201) && factor <= 16);
  const { result, samples } = burdened;
  expect(result.failures, 'every request has its answer').toEqual({});
  expect(result.of(201).length + result.of(503).length).toBe(result.sent);
  expect(result.of(503).length).toBeGreaterThan(0);
  expect(result.of(503).filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  // An accepted mint waits only for the mints before it; the rest allows for a loaded machine.
  const fullHouse = (maxInFlight / sustainable) * 1000;
  expect(result.slowest(201)).toBeLessThan(3 * fullHouse + 3_000);
  expect(result.slowest(503)).toBeLessThan(3 * fullHouse + 3_000);
  expect(result.perSecond(201), 'launches a second').toBeGreaterThan(sustainable / 5);
  for (const { queue, inFlight, memory } of samples) {
    expect(queue).toBeLessThanOrEqual(maxInFlight);
    expect(inFlight).toBeLessThanOrEqual(maxInFlight);
    expect(memory).toBeLessThan(before.memory + 250_000_000);
  }

  expect(result.lagged, 'until the last answer').toBeLessThan(fullHouse + 2_000);
  await until('full speed', async () => (await speed(1)) > sustainable / 2, 5_000);
  const idle = await sample(service);
  expect(idle).toMatchObject({ queue: 0, inFlight: 0 });
  expect(idle.turnedAway).toBe(rounds.reduce((sum, round) => sum + round.of(503).length, 0));
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
  return rounds.reduce((sum, round) => sum + round.of(201).length, 0);
}

describe('overload is answered with as many mints as can be recorded and a prompt 503 for the others', {
  timeout: 600_000,
}, () => {
  test('on PostgreSQL', async () => {
    const fleet = await postgresFleet(onTestFinished);
    const launched = await overload(await fleet.start(), 30);
    expect((await storedAt(fleet.databaseUrl)).sessions).toHaveLength(launched);
  });

  test('on the embedded engine', async () => {
    const { path, start } = await processFolder(onTestFinished);
    const DATA_DIR = await prepareDataFolder(join(path, 'data'));
    const service = await start({ DATA_DIR });
    const launched = await overload(service, 30);
    await service.kill('SIGKILL');
    expect((await storedIn(DATA_DIR)).sessions).toHaveLength(launched);
  });
});
