import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstIdAt } from '../../src/primitives/ids.ts';
import * as listing from '../../src/sessions/listing.ts';
import type { Statement } from '../../src/store/database.ts';
import { freshDatabase, type TestDatabase } from '../harness/database.ts';
import { storeSessions } from '../harness/many-sessions.ts';
import { type PlanNode, planOf } from '../harness/plans.ts';

const count = Number(process.env.MANY_SESSIONS ?? 200_000);
const shop = 'https://shop.example.com';
const elsewhere = 'https://nowhere.example.com';
const now = Date.now();
const hour = 3_600_000;
/** Ids contain times, so each group of sessions has its own. */
const times = { large: now - hour, old: now - 20 * hour, many: now - 40 * hour };

let stored: TestDatabase;
beforeAll(async () => {
  stored = await freshDatabase();
  const { database } = stored;
  await storeSessions(database, { projectId: 'prj_many', count, newest: times.many });
  await storeSessions(database, { projectId: 'prj_old', count: 5_000, newest: times.old, hasColumns: false });
  await storeSessions(database, {
    projectId: 'prj_large',
    count: 100,
    newest: times.large,
    isLarge: true,
    hasColumns: false,
  });
});
afterAll(() => stored?.drop());

const list = (projectId: string, filter: listing.SessionFilter, cursor?: string, limit = 100) =>
  listing.listSessions(stored.database, projectId, filter, { limit, cursor, at: new Date() });

/** Reads all pages; returns the number of sessions on each. */
async function pages(projectId: string, filter: listing.SessionFilter): Promise<number[]> {
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(projectId, filter, cursor, 500);
    sizes.push(page.sessions.length);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return sizes;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

type Filters = Pick<listing.SessionFilter, 'experienceId' | 'source' | 'userId' | 'status' | 'origin'>;

/** Explains a statement of the list, from the newest session, with at most 2,000 examined. */
function explained(statement: Statement, projectId: string, filters: Filters): Promise<PlanNode[]> {
  const { experienceId, source, userId, status, origin } = filters;
  const others = [experienceId, source, userId, status, null, origin, null].map((value) => value ?? null);
  const values = [projectId, 'ses`', '', new Date(), 2_000, 101, 1024 * 1024, ...others];
  return planOf(stored.database, statement, values);
}

const scansOf = (nodes: PlanNode[]) => nodes.filter((node) => node['Relation Name'] === 'sessions');
const rowsOf = (nodes: PlanNode[]) =>
  sum(
    nodes.map(
      (node) =>
        node['Actual Loops'] *
        (node['Actual Rows'] +
          (node['Rows Removed by Filter'] ?? 0) +
          (node['Rows Removed by Index Recheck'] ?? 0)),
    ),
  );

const byIndex: [index: string, filters: Filters, statement: Statement][] = [
  ['sessions_by_project', { origin: elsewhere }, listing.listAll],
  ['sessions_by_experience', { experienceId: 'exp_usual', status: 'created' }, listing.listByExperience],
  ['sessions_by_experience', { experienceId: 'exp_rare', origin: elsewhere }, listing.listByExperience],
  ['sessions_by_source', { source: 'public', origin: elsewhere }, listing.listBySource],
  ['sessions_by_source', { source: 'server', origin: elsewhere }, listing.listBySource],
  ['sessions_by_user', { userId: 'rare', origin: elsewhere }, listing.listByUser],
  ['sessions_waiting', { status: 'expired', origin: elsewhere }, listing.listWaiting],
  ['sessions_active', { status: 'active', origin: elsewhere }, listing.listActive],
  ['sessions_ended', { status: 'ended', origin: elsewhere }, listing.listEnded],
];

/** The plans of all statements, for a project with most sessions, and for two with few. */
function testPlans(): void {
  for (const projectId of ['prj_many', 'prj_old', 'prj_none']) {
    test.each(byIndex)(
      `of ${projectId} read one row per step of %s (%j)`,
      async (index, filters, statement) => {
        const scans = scansOf(await explained(statement, projectId, filters));
        const step = scans.filter((node) => node['Index Name'] === index);
        expect(step.map((node) => node['Node Type'])).toEqual(['Index Scan']);
        expect(rowsOf(scans)).toBeLessThanOrEqual(2_000);
        expect(step[0]!['Actual Rows']).toBeLessThanOrEqual(1);
      },
    );
  }
}

describe('lists, without statistics,', testPlans);

describe('lists, with statistics,', () => {
  beforeAll(async () => {
    const { database } = stored;
    if (database.own === undefined) await database.query('admin', { text: 'ANALYZE' });
    else await database.own.analyze(pino({ level: 'silent' }));
    const text = "SELECT count(*)::integer AS n FROM pg_statistic WHERE starelid = 'sessions'::regclass";
    const [row] = await database.query<{ n: number }>('admin', { text });
    expect(row!.n).toBeGreaterThan(0);
  });

  testPlans();
});

describe('filters by origin and locale', () => {
  test('use the columns', async () => {
    expect(sum(await pages('prj_old', { origin: shop }))).toBe(5_000);
    const page = await list('prj_many', { origin: shop, locale: 'en-US' });
    expect(page.sessions).toHaveLength(100);
    expect((await list('prj_many', { origin: elsewhere })).sessions).toEqual([]);
  });

  test('read what the launch was given if a row was stored without them', async () => {
    expect(sum(await pages('prj_old', { locale: 'en-US', origin: shop }))).toBe(5_000);
    expect(sum(await pages('prj_old', { locale: 'de' }))).toBe(0);
    expect(sum(await pages('prj_old', { origin: shop, experienceId: 'exp_rare' }))).toBe(5);
  });

  test('end the page after a megabyte of it', async () => {
    const scans = scansOf(await explained(listing.listAll, 'prj_large', { origin: elsewhere }));
    // 65 kB each.
    expect(rowsOf(scans)).toBeLessThanOrEqual(18);
    const first = await list('prj_large', { origin: elsewhere });
    expect(first).toMatchObject({ sessions: [], nextCursor: expect.stringMatching(/^ses_/) });
    expect(sum(await pages('prj_large', { origin: elsewhere }))).toBe(0);
    expect(sum(await pages('prj_large', { origin: shop }))).toBe(100);
  });
});

test('a session that a process of the previous version records has no columns, and is listed', async () => {
  const { database } = stored;
  const id = firstIdAt('ses', now);
  await database.transaction(async (tx) => {
    await tx.query({ text: 'SET LOCAL session_replication_role = replica' });
    const row = [id, 'prj_former', 'exp_usual', '1', 't', 'public', '', '2026-01-01', '2026-01-02'].join(',');
    const given = [{ origin: shop, locale: 'en-US' }];
    await tx.query({ text: 'SELECT * FROM record_sessions($1, $2, NULL, NULL, false)' }, [
      `{"(${row})"}`,
      JSON.stringify(given),
    ]);
  });
  const text = 'SELECT origin, locale FROM sessions WHERE id = $1';
  expect(await database.query('admin', { text }, [id])).toEqual([{ origin: null, locale: null }]);
  const { sessions } = await list('prj_former', { origin: shop, locale: 'en-US' });
  expect(sessions.map((session) => session.id)).toEqual([id]);
  expect((await list('prj_former', { origin: elsewhere })).sessions).toEqual([]);
});

test('a page of large sessions is short, and all pages contain each session once', async () => {
  const sizes = await pages('prj_large', {});
  expect(sum(sizes)).toBe(100);
  expect(Math.max(...sizes)).toBeLessThan(20);
});
