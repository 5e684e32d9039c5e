import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { QueryPool } from '../../src/store/postgres/query-pool.ts';
import { StatementWatch } from '../../src/store/postgres/statement-watch.ts';

function openPool(url: string): QueryPool {
  const watch = new StatementWatch(url);
  const ignore = () => undefined;
  const pool = new QueryPool(
    { url, watch, onIdleError: ignore, onReadOnly: ignore },
    { max: 1, statementTimeout: 10_000 },
  );
  onTestFinished(async () => {
    await pool.close();
    watch.stop();
  });
  return pool;
}

/** Blocks the event loop, as a busy machine does. */
function stall(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('a process that stalls while a connection opens uses the connection, and a request that waited gets it next', async () => {
  const pool = openPool(inject('postgresUrl'));
  const answers = [1, 2].map((n) => pool.query({ text: `SELECT ${n} AS n` }));
  // The connection is requested, but not open.
  await sleep(1);
  stall(3_500);
  expect(await Promise.all(answers)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
});

test('a request that gets no connection within the time limit is rejected as never sent', async () => {
  const pool = openPool(inject('postgresUrl'));
  const slow = pool.query({ text: 'SELECT pg_sleep(6)' });
  await expect(pool.query({ text: 'SELECT 1' })).rejects.toMatchObject({
    name: 'NeverSent',
    cause: { message: 'timeout exceeded when trying to connect' },
  });
  await slow;
  // The connection that arrived too late for it is free again.
  expect(await pool.query({ text: 'SELECT 1 AS n' })).toEqual([{ n: 1 }]);
});
