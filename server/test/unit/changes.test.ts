import { expect, test } from 'vitest';
import { openChanges } from '../../src/store/changes.ts';
import type { Database, Transaction } from '../../src/store/database.ts';

/** A database that lists the values of the statements that it receives in transactions. */
function recording(engine: Database['engine']) {
  const sent: unknown[][] = [];
  const tx: Transaction = {
    query: async (_statement, values = []) => {
      sent.push(values);
      return [];
    },
  };
  const database = {
    engine,
    transaction: (work: (tx: Transaction) => Promise<unknown>) => work(tx),
    listen: async () => undefined,
  } as unknown as Database;
  return { database, sent };
}

const commitTwo = async (database: Database) => {
  const changes = await openChanges(database);
  const heard: unknown[] = [];
  changes.onChange((change) => heard.push(change));
  await changes.commit(async (_tx, changed) => {
    changed({ kind: 'experience', id: 'exp_a', projectId: 'prj_a' });
    changed({ kind: 'project', id: 'prj_a' });
  });
  return heard;
};

const both = [
  { kind: 'experience', id: 'exp_a', projectId: 'prj_a' },
  { kind: 'project', id: 'prj_a', projectId: 'prj_a' },
];

test('all changes of a transaction are sent to other processes in one statement', async () => {
  const { database, sent } = recording('postgres');
  expect(await commitTwo(database)).toEqual(both);
  expect(sent).toHaveLength(1);
  const [[, payloads]] = sent as [[string, string[]]];
  expect(payloads.map((payload) => JSON.parse(payload))).toEqual(
    both.map((change) => ({ ...change, from: expect.any(String) })),
  );
});

test('a transaction without changes, and one of the embedded engine, sends none', async () => {
  const embedded = recording('embedded');
  expect(await commitTwo(embedded.database)).toEqual(both);
  expect(embedded.sent).toEqual([]);
  const { database, sent } = recording('postgres');
  await (await openChanges(database)).commit(async () => undefined);
  expect(sent).toEqual([]);
});
