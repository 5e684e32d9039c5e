import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRateLimits } from '../../src/limits/rate.ts';
import { FailedLogins } from '../../src/operators/failed-logins.ts';
import { findLogins } from '../../src/operators/logins.ts';
import { operatorsByToken } from '../../src/operators/operators.ts';
import { isNeverSent, isOutage, isRolledBack } from '../../src/store/database-errors.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { EngineThread } from '../../src/store/embedded/engine-thread.ts';
import type { ClientLimits } from '../../src/store/embedded/pglite-client.ts';

const cleanup = useCleanup();
const endless = 'SELECT count(*) FROM generate_series(1, 1000000000000)';

async function open(
  limits: Partial<ClientLimits> = {
    admin: 100,
    query: 60_000,
    adminAnswer: 60_000,
    adminAnswerIfBusy: 60_000,
  },
) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const dataDir = await prepareDataFolder(folder.path);
  const events: string[] = [];
  const database = await openEmbedded(dataDir, {
    onOverdue: (statement) => events.push(`overdue: ${statement}`),
    onRestarted: () => events.push('restarted'),
    onEnd: (reason) => events.push(`ended: ${reason}`),
    // A restart takes long on a busy machine.
    limits: { held: 60_000, stop: 60_000, ...limits },
  });
  cleanup(() => database.close());
  const run = (text: string) => database.query<{ n: number }>('everyday', { text });
  await run('CREATE TABLE counted (n integer)');
  return { dataDir, database, events, run, admin: (text: string) => database.query('admin', { text }) };
}

const noLimits = {
  mintsPerMinutePerClient: null,
  mintsPerMinute: null,
  sessionsPerDay: null,
  concurrentSessions: null,
  concurrentSessionsPerClient: null,
};

const failed = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.fail('succeeded'),
    (error: Error) => error,
  );

test('an overdue statement of the admin API fails as an outage, and the ones behind it run in another thread', async () => {
  const { database, events, run, admin } = await open();
  await run('INSERT INTO counted VALUES (1)');
  const overdue = failed(admin(endless));
  const behind = [run('INSERT INTO counted VALUES (2)'), admin('INSERT INTO counted VALUES (3)')];
  const error = await overdue;
  // The caller does not know whether it was executed, and the engine answers again soon.
  expect([isOutage(error), isNeverSent(error), isRolledBack(error)]).toEqual([true, false, false]);
  await Promise.all(behind);
  expect(await run('SELECT n FROM counted ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(events).toEqual([`overdue: ${endless}`, 'restarted']);
  expect([database.own!.alive(), database.own!.restarts()]).toEqual([true, 1]);
});

test('a restart keeps the rate windows of mints, which are not in the database', async () => {
  const { database, admin } = await open();
  const rates = openRateLimits(database);
  const limits = { ...noLimits, mintsPerMinute: 1 };
  await rates.spend('prj_a', limits, '192.0.2.1');
  await failed(admin(endless));
  await expect.poll(() => database.own!.restarts(), { timeout: 60_000 }).toBe(1);
  expect(await failed(rates.spend('prj_a', limits, '192.0.2.1'))).toMatchObject({ code: 'RATE_LIMITED' });
});

test('the database is not ready while the engine restarts', async () => {
  const { database, admin } = await open();
  await database.ping();
  const overdue = failed(admin(endless));
  await expect.poll(() => database.client.isRestarting, { timeout: 60_000 }).toBe(true);
  // A result is reused for half a second.
  await expect
    .poll(() => (database.client.isRestarting ? database.ping().catch((e: Error) => e.message) : 'restarted'))
    .toMatch(/is restarting|restarted/);
  expect(database.own!.alive()).toBe(true);
  await overdue;
  await expect.poll(() => database.ping().then(() => 'ready', String), { timeout: 60_000 }).toBe('ready');
});

test('a transaction is lost when the engine restarts, and the next one works', async () => {
  const { database, run } = await open({ transaction: 100 });
  const lost = await failed(
    database.transaction(async (tx) => {
      await tx.query({ text: 'INSERT INTO counted VALUES (1)' });
      await tx.query({ text: endless }).catch(() => undefined);
      await tx.query({ text: 'INSERT INTO counted VALUES (2)' });
    }),
  );
  expect([isOutage(lost), isRolledBack(lost)]).toEqual([true, false]);
  await database.transaction((tx) => tx.query({ text: 'INSERT INTO counted VALUES (3)' }));
  expect(await run('SELECT n FROM counted')).toEqual([{ n: 3 }]);
});

test('a statement of the admin API that waits too long is refused, and does not run', async () => {
  const { run, admin, events } = await open({ admin: 60_000, adminAnswer: 300 });
  const first = failed(admin('SELECT count(*) FROM generate_series(1, 10000000)'));
  const second = failed(admin('INSERT INTO counted VALUES (1)'));
  expect([isOutage(await first), isOutage(await second)]).toEqual([true, true]);
  expect(await run('SELECT n FROM counted')).toEqual([]);
  expect(await admin('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(events).toEqual([]);
});

test('other statements overtake those of the admin API that wait', async () => {
  const { run, admin, database } = await open({});
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const first = admin('SELECT pg_sleep(0.5)').then(note('admin 1'));
  await new Promise(setImmediate);
  await Promise.all([
    first,
    admin('SELECT 1').then(note('admin 2')),
    database.transaction((tx) => tx.query({ text: 'SELECT 1' })).then(note('transaction')),
    run('SELECT 1').then(note('mint 1')),
    run('SELECT 1').then(note('mint 2')),
  ]);
  expect(order).toEqual(['admin 1', 'mint 1', 'mint 2', 'admin 2', 'transaction']);
});

test('authentication overtakes the statements of the admin API that wait', async () => {
  const { admin, database } = await open({});
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const first = admin('SELECT pg_sleep(0.5)').then(note('admin 1'));
  await new Promise(setImmediate);
  await Promise.all([
    first,
    admin('SELECT 1').then(note('admin 2')),
    operatorsByToken(database, ['00']).then(note('token')),
    findLogins(database, ['00']).then(note('login')),
    new FailedLogins(database).attempt('127.0.0.1', async () => note('sign-in')()),
  ]);
  expect(order).toEqual(['admin 1', 'token', 'login', 'sign-in', 'admin 2']);
});

test('statements that arrive during a transaction run before the next one', async () => {
  const { run, database } = await open({});
  const order: string[] = [];
  const others: Promise<unknown>[] = [];
  const transaction = (name: string) =>
    database.transaction(async (tx) => {
      await tx.query({ text: 'SELECT 1' });
      order.push(name);
    });
  await database.transaction(async (tx) => {
    others.push(transaction('second'), transaction('third'));
    others.push(run('SELECT 1').then(() => order.push('mint')));
    await tx.query({ text: 'SELECT 1' });
    order.push('first');
  });
  await Promise.all(others);
  expect(order).toEqual(['first', 'mint', 'second', 'third']);
});

test('an engine that has not completed a statement since its last three restarts ends', async () => {
  const { events, database, run } = await open({ query: 100 });
  const asked = Array.from({ length: 5 }, () => failed(run(endless)));
  for (const error of await Promise.all(asked)) expect(isOutage(error)).toBe(true);
  expect(events.filter((event) => event === 'restarted')).toHaveLength(3);
  expect(events.at(-1)).toBe('ended: it did not respond in time');
  expect(database.own!.alive()).toBe(false);
});

describe('a database that is closed while its engine restarts', () => {
  /** Statements do not wait for the restart. */
  const limits = { admin: 100, adminAnswer: 60_000, adminAnswerIfBusy: 60_000, held: 1 };

  test('starts no other thread, and another process can open the folder', async () => {
    const { dataDir, database, events, run, admin } = await open(limits);
    await run('INSERT INTO counted VALUES (1)');
    const start = vi.spyOn(EngineThread, 'start');
    onTestFinished(() => start.mockRestore());
    await failed(admin(endless));
    await database.close();
    expect(database.own!.alive()).toBe(false);
    expect(start).not.toHaveBeenCalled();
    start.mockRestore();
    const next = await openEmbedded(dataDir);
    cleanup(() => next.close());
    expect(await next.query('everyday', { text: 'SELECT n FROM counted' })).toEqual([{ n: 1 }]);
    expect(events).toEqual([`overdue: ${endless}`]);
  });

  test('stops the thread that already opens the folder', async () => {
    const { database, events, admin } = await open(limits);
    const original = EngineThread.start;
    let thread: EngineThread | undefined;
    let closed: Promise<void> | undefined;
    const start = vi.spyOn(EngineThread, 'start').mockImplementation(async (...data) => {
      closed = database.close();
      thread = await original(...data);
      return thread;
    });
    onTestFinished(() => start.mockRestore());
    await failed(admin(endless));
    await expect.poll(() => start.mock.calls, { timeout: 60_000 }).toHaveLength(1);
    await closed;
    expect(await thread?.exitWithin(0)).toBe(true);
    expect(events).toEqual([`overdue: ${endless}`]);
  });
});
