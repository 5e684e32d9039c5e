import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@session-launch/testing/fleet.ts';
import { Client } from '@session-launch/testing/open-loop.ts';
import { expectError, mintFromBrowser, pageOrigin } from '@session-launch/testing/world.ts';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { maxInFlight, mintRequests, sample } from './overloaded.ts';
import { storedAt } from './stored.ts';
import { useTestedService } from './victim.ts';

const tested = useTestedService();

test('while writes are blocked, mints beyond the limit are refused at once and reads are served', async () => {
  const { service, world, databaseUrl } = tested;
  const body = { experienceId: world.experienceId };
  const session = (await mintFromBrowser(service, body)).json.session;
  const client = new Client(service.url, mintRequests(world));
  onTestFinished(() => client.close());
  await client.open(1_100);
  const lock = new pg.Client({ connectionString: databaseUrl });
  await lock.connect();
  onTestFinished(() => lock.end());
  await lock.query('BEGIN; LOCK TABLE sessions IN EXCLUSIVE MODE');
  const lockedAt = performance.now();

  const stuck = client.burst(1_100);
  const busy = await until('mints to be turned away', async () => {
    const now = await sample(service);
    return now.turnedAway > 0 && now;
  });
  expect(busy.inFlight).toBe(maxInFlight);
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
  // A write times out after 15 s: if the machine took that long for the rest, the queued requests are rejected as well.
  const inTime = performance.now() - lockedAt < 12_000;
  const { replies, failures } = await stuck;
  expect(failures).toEqual({});
  const launched = replies.filter(({ status }) => status === 201).length;
  if (inTime) expect(launched).toBe(maxInFlight);
  expect(replies.filter(({ status }) => status === 503).length).toBe(1_100 - launched);
  expect((await storedAt(databaseUrl)).sessions).toHaveLength(launched + 1);
});

test('requests that never finish take no slots from others', async () => {
  const { service, world } = tested;
  const whole = mintRequests(world);
  const slow = new Client(service.url, () => whole().slice(0, -1));
  onTestFinished(() => slow.close());
  await slow.open(maxInFlight + 50);
  const mint = () => mintFromBrowser(service, { experienceId: world.experienceId });
  // The stopped service finds all of these requests at once when it continues.
  process.kill(service.pid, 'SIGSTOP');
  void slow.burst(maxInFlight + 50);
  const beside = Array.from({ length: 10 }, mint);
  // Time for the bytes to arrive in its sockets.
  await sleep(200);
  process.kill(service.pid, 'SIGCONT');
  for (const answer of await Promise.all(beside)) expect(answer.status, answer.text).toBe(201);
  for (let n = 0; n < 50; n++) {
    const answer = await mint();
    expect(answer.status, answer.text).toBe(201);
  }
  expect((await sample(service)).inFlight).toBe(0);
});
