import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { expect, test } from 'vitest';
import { openRateLimits } from '../../src/limits/rate.ts';
import { FailedLogins } from '../../src/operators/failed-logins.ts';
import { findLogins } from '../../src/operators/logins.ts';
import { operatorsByToken } from '../../src/operators/operators.ts';
import { openEmbedded } from '../../src/store/embedded.ts';

const cleanup = useCleanup();
const endless = 'SELECT count(*) FROM generate_series(1, 1000000000000)';

async function open(limits?: Record<'admin' | 'query' | 'adminAnswer' | 'adminAnswerIfBusy', number>) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const dataDir = await prepareDataFolder(folder.path);
  // A restart takes long on a busy machine.
  const database = await openEmbedded(dataDir, { limits: { held: 60_000, stop: 60_000, ...limits } });
  cleanup(() => database.close());
  return { database, admin: (text: string) => database.query('admin', { text }) };
}

const failed = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.fail('succeeded'),
    (error: Error) => error,
  );

/** A statement of the admin API is overdue soon, and nothing else is. */
const impatient = { admin: 100, query: 60_000, adminAnswer: 60_000, adminAnswerIfBusy: 60_000 };
const limits = {
  mintsPerMinutePerClient: null,
  mintsPerMinute: 1,
  sessionsPerDay: null,
  concurrentSessions: null,
  concurrentSessionsPerClient: null,
};

test('a restart keeps the rate windows of mints, which are not in the database', async () => {
  const { database, admin } = await open(impatient);
  const rates = openRateLimits(database);
  await rates.spend('prj_a', limits, '192.0.2.1');
  await failed(admin(endless));
  await expect.poll(() => database.own!.restarts(), { timeout: 60_000 }).toBe(1);
  expect(await failed(rates.spend('prj_a', limits, '192.0.2.1'))).toMatchObject({ code: 'RATE_LIMITED' });
});

test('the database is not ready while the engine restarts', async () => {
  const { database, admin } = await open(impatient);
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

test('authentication overtakes the statements of the admin API that wait', async () => {
  const { admin, database } = await open();
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
