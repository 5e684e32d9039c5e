import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { PgliteClient } from '../src/pglite-client.ts';

let client: PgliteClient;
/** A second client of the same database with a short timeout, and the reasons for which it ended. */
let impatient: PgliteClient;
const reasons: string[] = [];
beforeAll(async () => {
  client = await PgliteClient.open({ dump: await readFile(inject('dump')) });
  await client.query('CREATE TABLE counted (n integer CONSTRAINT small CHECK (n < 100))');
});
afterAll(() => Promise.all([client?.close(), impatient?.close()]));

const count = async () => (await client.query<{ n: number }>('SELECT count(*) AS n FROM counted')).rows[0]!.n;

test('the event loop is not blocked while the engine works', async () => {
  let turns = 0;
  let working = true;
  const turn = () => {
    turns++;
    if (working) setImmediate(turn);
  };
  setImmediate(turn);
  await client.query('SELECT sum(i) FROM generate_series(1, 1000000) i');
  working = false;
  expect(turns).toBeGreaterThan(10);
});

test('values and rows keep their types', async () => {
  const { rows } = await client.query(
    'SELECT $1::text AS text, $2::bytea AS bytes, $3::json AS json, $4::integer[] AS list, NULL AS nothing',
    ['it’s', Buffer.from([0, 255]), { a: [1] }, [1, 2]],
  );
  expect(rows).toEqual([
    { text: 'it’s', bytes: new Uint8Array([0, 255]), json: { a: [1] }, list: [1, 2], nothing: null },
  ]);
});

test('a query during an open transaction waits for its end', async () => {
  const before = await count();
  let outer: Promise<number> | undefined;
  await client.transaction(async (tx) => {
    await tx.query('INSERT INTO counted VALUES (1)');
    outer = count();
    await tx.query('INSERT INTO counted VALUES (2)');
  });
  expect(await outer).toBe(before + 2);
});

test('transactions run one at a time, and a failed one is rolled back', async () => {
  const before = await count();
  const settled = await Promise.allSettled(
    [3, 100, 4].map((n) =>
      client.transaction(async (tx) => {
        await tx.query('INSERT INTO counted VALUES (0)');
        await tx.query('INSERT INTO counted VALUES ($1)', [n]);
      }),
    ),
  );
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await count()).toBe(before + 4);
});

test('an error has the code and fields of PostgreSQL', async () => {
  const error = await client.query('INSERT INTO counted VALUES (100)').catch((e: Error) => e);
  expect(error).toMatchObject({ code: '23514', constraint: 'small', severity: 'ERROR' });
});

test('an engine that cannot be opened rejects open() and does not call onEnd', async () => {
  const onEnd = (reason: string) => reasons.push(reason);
  await expect(PgliteClient.open({ dump: new Uint8Array([1, 2, 3]) }, { onEnd })).rejects.toThrow(
    'the embedded engine has ended',
  );
  expect(reasons).toEqual([]);
});

test('a dump opens as the same database', async () => {
  const onEnd = (reason: string) => reasons.push(reason);
  impatient = await PgliteClient.open({ dump: await client.dump() }, { onEnd }, { query: 200 });
  const text = 'SELECT count(*) AS n FROM counted';
  const { rows } = await impatient.query<{ n: number }>(text, [], { mayTakeLong: true });
  expect(rows[0]!.n).toBe(await count());
});

test('a query that may take long has no timeout', async () => {
  // Longer than its timeout and its final grace period together.
  await impatient.query('SELECT pg_sleep(1.5)', [], { mayTakeLong: true });
  expect(impatient.alive).toBe(true);
});

test('queries of a hanging engine time out, and so do those queued behind them', async () => {
  await impatient.query('SELECT 1', [], { mayTakeLong: true });
  const asked = [
    impatient.query('SELECT count(*) FROM generate_series(1, 1000000000000)'),
    impatient.query('SELECT 1'),
    impatient.transaction(async (tx) => tx.query('SELECT 1')),
  ];
  for (const { status, reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    // Callers treat 57P03 as never sent, so they need not determine the outcome.
    expect(reason.code).toBe('57P03');
  }
  expect(reasons).toEqual(['it did not respond in time']);
  expect(impatient.alive).toBe(false);
  await impatient.close();
});

test('close() completes earlier queries; later ones are an outage', async () => {
  const asked = client.query<{ n: number }>('SELECT 1 AS n');
  await Promise.all([client.close(), asked]);
  expect((await asked).rows).toEqual([{ n: 1 }]);
  const error = await client.query('SELECT 1').catch((e: Error) => e);
  expect(error).toMatchObject({ code: '57P03' });
  await client.close();
});
