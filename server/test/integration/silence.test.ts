import { type Launch, leave } from '@session-launch/testing/lifecycle.ts';
import { describe, expect, test } from 'vitest';
import { lookEveryMs, SilenceWatch } from '../../src/sessions/silence.ts';
import type { Database } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';
import { lasted, type SessionRecord, useSessionLives } from '../harness/session-lives.ts';

const service = useService();
const lives = useSessionLives(service);
const { active, endByApi, pass, read, said } = lives;

/** The watch of one process with its own clock. */
function watching(database: Database = service.database) {
  let now = 1_000_000;
  const watch = new SilenceWatch({ ...lives.lifecycle, database }, () => now);
  /** Runs the watch as often as a process does in this many seconds. */
  const look = async (seconds: number, between = async () => {}) => {
    for (let ms = 0; ms < seconds * 1_000; ms += lookEveryMs) {
      await between();
      now += lookEveryMs;
      await watch.look();
    }
  };
  const stopFor = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { watch, look, stopFor };
}

const statusOf = async ({ sessionId }: Launch) => (await read(sessionId)).status;
const reported = async ({ sessionId }: Launch, seconds: number, runtimeId?: string) =>
  said([{ sessionId, seconds }], runtimeId);

/** Expects an end this many seconds after the start, plus the duration of the test. */
function expectLasted(record: SessionRecord, seconds: number, began: number): void {
  expect(lasted(record)).toBeGreaterThanOrEqual(seconds);
  expect(lasted(record)).toBeLessThan(seconds + (performance.now() - began) / 1_000);
}

test('a session without a report for a minute ends with its last reported seconds and time', async () => {
  const began = performance.now();
  const silent = await active();
  const { sessionId } = silent;
  await pass(sessionId, 40);
  await reported(silent, 33);
  const { watch, look } = watching();
  await watch.look();
  await look(55);
  expect(await statusOf(silent)).toBe('active');
  const before = lives.lost;
  await look(5);
  const record = await read(sessionId);
  expect(record).toMatchObject({ status: 'ended', endReason: 'runtime_lost', usage: { seconds: 33 } });
  expectLasted(record, 40, began);
  expect(lives.lost).toBeGreaterThan(before);
  expect(await reported(silent, 99)).toEqual([{ sessionId, reason: 'runtime_lost' }]);
  await look(60);
  expect(await read(sessionId)).toEqual(record);
});

test('a report restarts the minute', async () => {
  const launch = await active();
  const { look } = watching();
  for (let turn = 1; turn <= 3; turn++) {
    await look(55);
    await reported(launch, 0);
  }
  expect(await statusOf(launch)).toBe('active');
  await look(65);
  expect(await statusOf(launch)).toBe('ended');
});

test('a session missing from reports ends, and the reported ones continue', async () => {
  const [forgotten, kept] = [await active('rt_forgetful'), await active('rt_forgetful')];
  await said(
    [forgotten, kept].map(({ sessionId }) => ({ sessionId, seconds: 0 })),
    'rt_forgetful',
  );
  await watching().look(70, async () => {
    await reported(kept, 0, 'rt_forgetful');
  });
  expect([await statusOf(forgotten), await statusOf(kept)]).toEqual(['ended', 'active']);
});

test('any number of sessions end, each once even if several processes check', async () => {
  // First ends other sessions that are already silent.
  await watching().look(65);
  const launches = await Promise.all(Array.from({ length: 30 }, () => active('rt_gone')));
  const before = lives.lost;
  await Promise.all(Array.from({ length: 4 }, () => watching().look(65)));
  expect(lives.lost - before).toBe(30);
  for (const { sessionId } of launches)
    expect(await read(sessionId)).toMatchObject({ endReason: 'runtime_lost', usage: { seconds: 0 } });
});

test('of a lost runtime and other ends at the same time, one takes effect', async () => {
  const launch = await active();
  const { sessionId, sessionToken } = launch;
  const { look } = watching();
  await look(60);
  await Promise.all([
    look(5),
    endByApi(sessionId),
    leave(service, sessionId, sessionToken),
    said([{ sessionId, seconds: 0, ended: 'idle_timeout' }]),
  ]);
  const record = await read(sessionId);
  expect(['api_request', 'client_left', 'idle_timeout', 'runtime_lost']).toContain(record.endReason);
  await look(65);
  expect(await read(sessionId)).toEqual(record);
  expect(await lives.query('SELECT FROM active_sessions WHERE session_id = $1', [sessionId])).toEqual([]);
});

describe.each([
  ['forward', 300],
  ['forward', 86_400],
  ['back', -300],
  ['back', -86_400],
])('a clock that is set %s by %d seconds', (_direction, step) => {
  test('ends no session whose runtime reports', async () => {
    const launch = await active();
    const { look } = watching();
    await look(20, () => reported(launch, 0).then(() => {}));
    await pass(launch.sessionId, step);
    // The next report may be a few seconds away.
    await look(10);
    expect(await statusOf(launch)).toBe('active');
    await look(90, () => reported(launch, 0).then(() => {}));
    expect(await statusOf(launch)).toBe('active');
  });

  test('still ends a session whose runtime is lost', async () => {
    const began = performance.now();
    const launch = await active();
    const { sessionId } = launch;
    await pass(sessionId, 20);
    await reported(launch, 20);
    const { watch, look } = watching();
    await watch.look();
    await pass(sessionId, step);
    await look(65);
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', endReason: 'runtime_lost', usage: { seconds: 20 } });
    expectLasted(record, 20, began);
  });
});

test('time during which the database was unreachable does not count', async () => {
  const launch = await active();
  let isAway = false;
  const database = Object.create(service.database, {
    query: {
      value: (...call: Parameters<Database['query']>) =>
        isAway ? Promise.reject(new Error('away')) : service.database.query(...call),
    },
  }) as Database;
  const { watch, look, stopFor } = watching(database);
  await look(35);
  isAway = true;
  for (let n = 0; n < 60; n++) {
    stopFor(lookEveryMs / 1_000);
    await expect(watch.look()).rejects.toThrow('away');
  }
  isAway = false;
  await look(25);
  expect(await statusOf(launch)).toBe('active');
  await look(15);
  expect(await statusOf(launch)).toBe('ended');
});

test('time during which the process was suspended does not count', async () => {
  const launch = await active();
  const { look, stopFor } = watching();
  await look(30);
  stopFor(3_600);
  await look(20);
  expect(await statusOf(launch)).toBe('active');
  await look(20);
  expect(await statusOf(launch)).toBe('ended');
});

test('a process ends sessions left behind one minute after its start', async () => {
  const launch = await active();
  await pass(launch.sessionId, 86_400);
  const { watch, look } = watching();
  await watch.look();
  await look(55);
  expect(await statusOf(launch)).toBe('active');
  await look(5);
  expect(await statusOf(launch)).toBe('ended');
});
