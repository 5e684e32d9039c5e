import { reportIntervalSeconds } from '@session-launch/contract/wire';
import { connect, type Launch, launched, leave } from '@session-launch/testing/lifecycle.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { describe, expect, test } from 'vitest';
import { useService } from '../harness/service.ts';
import { lasted, type SessionRecord, useSessionLives } from '../harness/session-lives.ts';

const service = useService();
const lives = useSessionLives(service);
const { active, endByApi, pass, read, said } = lives;

const ends: Record<string, (launch: Launch) => Promise<{ status: number }>> = {
  'an end by API': ({ sessionId }) => endByApi(sessionId),
  'a leave': ({ sessionId, sessionToken }) => leave(service, sessionId, sessionToken),
};

describe.each(Object.entries(ends))('%s', (_name, end) => {
  async function ended(launch: Launch): Promise<SessionRecord> {
    expect((await end(launch)).status).toBeLessThan(300);
    const record = await read(launch.sessionId);
    expect(record.usage.seconds).toBeLessThanOrEqual(lasted(record));
    return record;
  }

  test('after the runtime has died adds at most one report interval', async () => {
    const launch = await active();
    await pass(launch.sessionId, 15);
    await said([{ sessionId: launch.sessionId, seconds: 15 }]);
    await pass(launch.sessionId, 41);
    const { usage } = await ended(launch);
    expect(usage.seconds).toBe(15 + reportIntervalSeconds);
  });

  test('before the first report adds at most one report interval', async () => {
    const launch = await active();
    await pass(launch.sessionId, 38);
    expect((await ended(launch)).usage.seconds).toBe(reportIntervalSeconds);
  });

  test('while the runtime waits for the client adds nothing', async () => {
    const launch = await active();
    const { sessionId } = launch;
    await pass(sessionId, 30);
    await said([{ sessionId, seconds: 20, waiting: true }]);
    await pass(sessionId, 3);
    const record = await ended(launch);
    expect(record.usage.seconds).toBe(20);
    expect(lasted(record)).toBeGreaterThanOrEqual(33);
  });

  test.each([{ waiting: false }, {}])(
    'after the client has reconnected adds time again (%j)',
    async (waiting) => {
      const launch = await active();
      const { sessionId } = launch;
      await pass(sessionId, 30);
      await said([{ sessionId, seconds: 20, waiting: true }]);
      await said([{ sessionId, seconds: 20, ...waiting }]);
      await pass(sessionId, 2);
      const { usage } = await ended(launch);
      expect(usage.seconds).toBeGreaterThanOrEqual(22);
      expect(usage.seconds).toBeLessThanOrEqual(20 + reportIntervalSeconds);
    },
  );

  test('adds the same to the metric and to the usage', async () => {
    const before = await readMetrics(service);
    const launch = await active();
    const { sessionId } = launch;
    await pass(sessionId, 50);
    await said([{ sessionId, seconds: 12 }]);
    await pass(sessionId, 60);
    const { usage } = await ended(launch);
    const metered = 'session_launch_metered_seconds_total';
    expect((await readMetrics(service)).total(metered) - before.total(metered)).toBe(usage.seconds);
  });
});

const steps = [
  ['forward by five minutes', 300],
  ['forward by two hours', 7_200],
  ['back by five minutes', -300],
  ['back by two hours', -7_200],
] as const;

describe.each(steps)('a clock set %s', (_name, step) => {
  test('leaves usage as reported', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 20);
    await said([{ sessionId, seconds: 20 }]);
    await pass(sessionId, step);
    for (const seconds of [25, 30]) {
      await said([{ sessionId, seconds }]);
      expect((await read(sessionId)).usage.seconds).toBe(seconds);
    }
    expect(await said([{ sessionId, seconds: 34, ended: 'client_ended' }])).toEqual([]);
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', usage: { seconds: 34 } });
    expect(lasted(record)).toBeGreaterThanOrEqual(34);
  });

  test('before the first report leaves usage as reported', async () => {
    const { sessionId } = await active();
    await pass(sessionId, step);
    // The real time since the connect, which a clock step does not change, is close to zero.
    await said([{ sessionId, seconds: 0 }]);
    await pass(sessionId, 5);
    await said([{ sessionId, seconds: 5 }]);
    expect((await read(sessionId)).usage.seconds).toBe(5);
  });

  test.each(Object.entries(ends))('%s adds at most one report interval', async (_end, end) => {
    const launch = await active();
    const { sessionId } = launch;
    await pass(sessionId, 20);
    await said([{ sessionId, seconds: 20 }]);
    await pass(sessionId, step);
    await end(launch);
    const record = await read(sessionId);
    expect(record.usage.seconds).toBeGreaterThanOrEqual(20);
    expect(record.usage.seconds).toBeLessThanOrEqual(20 + reportIntervalSeconds);
    expect(record.usage.seconds).toBeLessThanOrEqual(lasted(record));
  });

  test('between mint and connect does not prevent metering', async () => {
    const launch = await launched(service, lives.world);
    const { sessionId } = launch;
    await lives.query(
      `UPDATE sessions SET created_at = created_at - make_interval(secs => $2::double precision),
                           expires_at = expires_at - make_interval(secs => $2::double precision) WHERE id = $1`,
      [sessionId, step],
    );
    expect((await connect(service, launch)).status).toBe(200);
    await pass(sessionId, 5);
    await said([{ sessionId, seconds: 5, ended: 'client_ended' }]);
    const record = await read(sessionId);
    expect(record.usage.seconds).toBe(5);
    expect(lasted(record)).toBeGreaterThanOrEqual(5);
  });
});

test('absurd seconds after a clock step backwards count as one minute at most', async () => {
  const began = performance.now();
  const { sessionId } = await active();
  await pass(sessionId, 20);
  await said([{ sessionId, seconds: 20 }]);
  await pass(sessionId, -300);
  await said([{ sessionId, seconds: 1e9 }]);
  const { seconds } = (await read(sessionId)).usage;
  expect(seconds).toBeGreaterThanOrEqual(80);
  expect(seconds).toBeLessThanOrEqual(80 + (performance.now() - began) / 1_000);
});
