import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EngineThread } from '../src/engine-thread.ts';
import { openEngine } from '../src/index.ts';
import type { ClientLimits } from '../src/pglite-client.ts';

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
  const { client, close } = await openEngine(dataDir, {
    onOverdue: (statement) => events.push(`overdue: ${statement}`),
    onRestarted: () => events.push('restarted'),
    onEnd: (reason) => events.push(`ended: ${reason}`),
    // A restart takes long on a busy machine.
    limits: { held: 60_000, stop: 60_000, ...limits },
  });
  cleanup(close);
  const run = async (text: string) => (await client.query<{ n: number }>(text)).rows;
  const admin = async (text: string) => (await client.query(text, [], { isAdmin: true })).rows;
  await run('CREATE TABLE counted (n integer)');
  return { dataDir, client, close, events, run, admin };
}

/** Resolves with the SQLSTATE of a failure. */
const failed = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.fail('succeeded'),
    (error: Error & { code?: string }) => error.code,
  );

test('an overdue statement of the admin API fails as an outage, and the ones behind it run in another thread', async () => {
  const { client, events, run, admin } = await open();
  await run('INSERT INTO counted VALUES (1)');
  const overdue = failed(admin(endless));
  const behind = [run('INSERT INTO counted VALUES (2)'), admin('INSERT INTO counted VALUES (3)')];
  // A lost connection: the caller does not know whether it was executed, and the engine answers again soon.
  expect(await overdue).toBe('08006');
  await Promise.all(behind);
  expect(await run('SELECT n FROM counted ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(events).toEqual([`overdue: ${endless}`, 'restarted']);
  expect([client.alive, client.restarts]).toEqual([true, 1]);
});

test('a transaction is lost when the engine restarts, and the next one works', async () => {
  // Long enough for the first statements of a new thread on a busy machine.
  const { client, run } = await open({ transaction: 2_000 });
  const lost = await failed(
    client.transaction(async (tx) => {
      await tx.query('INSERT INTO counted VALUES (1)');
      await tx.query(endless).catch(() => undefined);
      await tx.query('INSERT INTO counted VALUES (2)');
    }),
  );
  expect(lost).toBe('08006');
  await client.transaction((tx) => tx.query('INSERT INTO counted VALUES (3)'));
  expect(await run('SELECT n FROM counted')).toEqual([{ n: 3 }]);
});

test('a statement of the admin API that waits too long is refused, and does not run', async () => {
  const { run, admin, events } = await open({ admin: 60_000, adminAnswer: 300 });
  const first = failed(admin('SELECT count(*) FROM generate_series(1, 10000000)'));
  const second = failed(admin('INSERT INTO counted VALUES (1)'));
  expect([await first, await second]).toEqual(['57014', '57014']);
  expect(await run('SELECT n FROM counted')).toEqual([]);
  expect(await admin('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(events).toEqual([]);
});

test('other statements overtake those of the admin API that wait', async () => {
  const { run, admin, client } = await open({});
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const first = admin('SELECT pg_sleep(0.5)').then(note('admin 1'));
  await new Promise(setImmediate);
  await Promise.all([
    first,
    admin('SELECT 1').then(note('admin 2')),
    client.transaction((tx) => tx.query('SELECT 1')).then(note('transaction')),
    run('SELECT 1').then(note('mint 1')),
    run('SELECT 1').then(note('mint 2')),
  ]);
  expect(order).toEqual(['admin 1', 'mint 1', 'mint 2', 'admin 2', 'transaction']);
});

test('statements that arrive during a transaction run before the next one', async () => {
  const { run, client } = await open({});
  const order: string[] = [];
  const others: Promise<unknown>[] = [];
  const transaction = (name: string) =>
    client.transaction(async (tx) => {
      await tx.query('SELECT 1');
      order.push(name);
    });
  await client.transaction(async (tx) => {
    others.push(transaction('second'), transaction('third'));
    others.push(run('SELECT 1').then(() => order.push('mint')));
    await tx.query('SELECT 1');
    order.push('first');
  });
  await Promise.all(others);
  expect(order).toEqual(['first', 'mint', 'second', 'third']);
});

test('an engine that has not completed a statement since its last three restarts ends', async () => {
  const { events, client, run } = await open({ query: 100 });
  const asked = Array.from({ length: 5 }, () => failed(run(endless)));
  for (const code of await Promise.all(asked)) expect(code).toMatch(/^(08006|57P03)$/);
  expect(events.filter((event) => event === 'restarted')).toHaveLength(3);
  expect(events.at(-1)).toBe('ended: it did not respond in time');
  expect(client.alive).toBe(false);
});

describe('a database that is closed while its engine restarts', () => {
  /** Statements do not wait for the restart. */
  const limits = { admin: 100, adminAnswer: 60_000, adminAnswerIfBusy: 60_000, held: 1 };

  test('starts no other thread, and another process can open the folder', async () => {
    const { dataDir, client, close, events, run, admin } = await open(limits);
    await run('INSERT INTO counted VALUES (1)');
    const start = vi.spyOn(EngineThread, 'start');
    onTestFinished(() => start.mockRestore());
    await failed(admin(endless));
    await close();
    expect(client.alive).toBe(false);
    expect(start).not.toHaveBeenCalled();
    start.mockRestore();
    const next = await openEngine(dataDir);
    cleanup(() => next.close());
    expect((await next.client.query('SELECT n FROM counted')).rows).toEqual([{ n: 1 }]);
    expect(events).toEqual([`overdue: ${endless}`]);
  });

  test('stops the thread that already opens the folder', async () => {
    const { close, events, admin } = await open(limits);
    const original = EngineThread.start;
    let thread: EngineThread | undefined;
    let closed: Promise<void> | undefined;
    const start = vi.spyOn(EngineThread, 'start').mockImplementation(async (...data) => {
      closed = close();
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
