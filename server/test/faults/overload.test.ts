import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import { Client, type Measured } from '@session-launch/testing/open-loop.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import {
  createWorld,
  expectError,
  mintFromBrowser,
  pageOrigin,
  type World,
} from '@session-launch/testing/world.ts';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { effort } from './effort.ts';
import { storedAt, storedIn } from './stored.ts';

/** How many mints a process takes in hand at most. */
const mostUnderWay = 1_024;
const connections = 4_000;

/** Mints of a server, every other one with a key of its own. */
function mintRequests({ key, experienceId }: World): () => string {
  const body = JSON.stringify({ experienceId });
  let n = 0;
  return () =>
    [
      'POST /v1/sessions HTTP/1.1',
      'Host: service',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...(n++ % 2 === 0 ? [`Idempotency-Key: ${n}`] : []),
      '',
      body,
    ].join('\r\n');
}

interface Sample {
  queue: number;
  underWay: number;
  turnedAway: number;
  memory: number;
}

async function sample(service: ServiceProcess): Promise<Sample> {
  const { text } = await service.admin({ path: '/metrics' });
  const value = (name: string) => {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    expect(line, name).toBeDefined();
    return Number(line?.slice(name.length + 1));
  };
  return {
    queue: value('session_launch_queue_length'),
    underWay: value('session_launch_requests_under_way{part="mints"}'),
    turnedAway: value('session_launch_requests_turned_away_total{part="mints"}'),
    memory: value('process_resident_memory_bytes'),
  };
}

/** Samples taken all the time while something else goes on. */
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
 * Finds out what the service can do, asks for twice as much and more until it has to refuse, and looks at how it bears
 * that. Resolves to the number of launches that were acknowledged in all.
 */
async function overload(service: ServiceProcess, seconds: number): Promise<number> {
  const world = await createWorld(service);
  const client = new Client(service.url, mintRequests(world));
  onTestFinished(() => client.close());
  await client.open(connections);
  const rounds: Measured[] = [];
  const speed = async (forSeconds: number) => {
    // Enough of them that writes are as large, and mints as cheap, as they get.
    const round = await client.closedLoop(mostUnderWay / 2, forSeconds);
    rounds.push(round);
    return round.perSecond(201);
  };
  await speed(0.5);
  const sustainable = await speed(1);
  const before = await sample(service);

  // A machine that was slow during the calibration may be faster now: then twice is not too much yet.
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
  // A mint that is taken waits for those before it and for no others; the rest is for a machine with other things to do.
  const fullHouse = (mostUnderWay / sustainable) * 1000;
  expect(result.slowest(201)).toBeLessThan(3 * fullHouse + 3_000);
  expect(result.slowest(503)).toBeLessThan(3 * fullHouse + 3_000);
  expect(result.perSecond(201), 'launches a second').toBeGreaterThan(sustainable / 5);
  for (const { queue, underWay, memory } of samples) {
    expect(queue).toBeLessThanOrEqual(mostUnderWay);
    expect(underWay).toBeLessThanOrEqual(mostUnderWay);
    expect(memory).toBeLessThan(before.memory + 250_000_000);
  }

  expect(result.lagged, 'until the last answer').toBeLessThan(fullHouse + 2_000);
  await until('full speed', async () => (await speed(1)) > sustainable / 2, 5_000);
  const idle = await sample(service);
  expect(idle).toMatchObject({ queue: 0, underWay: 0 });
  expect(idle.turnedAway).toBe(rounds.reduce((sum, round) => sum + round.of(503).length, 0));
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
  return rounds.reduce((sum, round) => sum + round.of(201).length, 0);
}

describe('more mints than the service can record: as many as it can, a prompt 503 for the others', {
  timeout: 600_000,
}, () => {
  test('on PostgreSQL', async () => {
    const fleet = await postgresFleet(onTestFinished);
    const launched = await overload(await fleet.start(), effort(4, 30));
    expect((await storedAt(fleet.databaseUrl)).sessions).toHaveLength(launched);
  });

  test('on the embedded engine', async () => {
    const { path, start } = await processFolder(onTestFinished);
    const DATA_DIR = join(path, 'data');
    const service = await start({ DATA_DIR });
    const launched = await overload(service, effort(3, 30));
    await service.kill('SIGKILL');
    expect((await storedIn(DATA_DIR)).sessions).toHaveLength(launched);
  });
});

test('while writes are stuck, mints beyond the limit are refused at once and readers are served', async () => {
  const fleet = await postgresFleet(onTestFinished);
  const service = await fleet.start();
  const world = await createWorld(service);
  const body = { experienceId: world.experienceId };
  const session = (await mintFromBrowser(service, body)).json.session;
  const client = new Client(service.url, mintRequests(world));
  onTestFinished(() => client.close());
  await client.open(1_500);
  const lock = new pg.Client({ connectionString: fleet.databaseUrl });
  await lock.connect();
  onTestFinished(() => lock.end());
  await lock.query('BEGIN; LOCK TABLE sessions IN EXCLUSIVE MODE');

  const stuck = client.burst(1_500);
  const busy = await until('mints to be turned away', async () => {
    const now = await sample(service);
    return now.turnedAway > 0 && now;
  });
  expect(busy.underWay).toBe(mostUnderWay);
  const refused = await mintFromBrowser(service, body);
  expectError(refused, 503, 'UNAVAILABLE');
  expect(refused.headers).toMatchObject({
    'retry-after': '1',
    'cache-control': 'no-store, private',
    'access-control-allow-origin': pageOrigin,
    vary: 'Origin',
  });
  const read = await service.call({
    path: `/v1/sessions/${session.sessionId}`,
    headers: { Authorization: `Bearer ${world.key}` },
  });
  expect(read.json).toEqual(session);

  await lock.query('COMMIT');
  const { replies, failures } = await stuck;
  expect(failures).toEqual({});
  const launched = replies.filter(({ status }) => status === 201).length;
  expect(launched).toBe(mostUnderWay);
  expect(replies.filter(({ status }) => status === 503).length).toBe(1_500 - mostUnderWay);
  expect((await storedAt(fleet.databaseUrl)).sessions).toHaveLength(launched + 1);
});

test('callers that never finish their requests take no place from others', async () => {
  const fleet = await postgresFleet(onTestFinished);
  const service = await fleet.start();
  const world = await createWorld(service);
  const whole = mintRequests(world);
  const slow = new Client(service.url, () => whole().slice(0, -1));
  onTestFinished(() => slow.close());
  await slow.open(mostUnderWay + 100);
  void slow.burst(mostUnderWay + 100);
  // What they sent is read before what comes after it.
  for (let n = 0; n < 50; n++) {
    const answer = await mintFromBrowser(service, { experienceId: world.experienceId });
    expect(answer.status, answer.text).toBe(201);
  }
  expect((await sample(service)).underWay).toBe(0);
});
