import { createWorld, mintFromServer, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { mentions } from '../../src/art/used-by.ts';
import {
  list as listAudit,
  listOfOperator,
  listOfProjects,
  listAudit as readAudit,
} from '../../src/audit/read.ts';
import { list as listProjects } from '../../src/content/projects.ts';
import { list as listRevisions } from '../../src/editing/history.ts';
import { list as listExperiences } from '../../src/editing/list.ts';
import { listKeys } from '../../src/keys/keys.ts';
import { listPreviews } from '../../src/previews/previews.ts';
import { firstIdAt } from '../../src/primitives/ids.ts';
import { select as projectState } from '../../src/statistics/project-state.ts';
import { readDurations, readPoints, readRefusals } from '../../src/statistics/tally-rows.ts';
import { select as usage, usageBounds } from '../../src/statistics/usage.ts';
import type { Statement, Transaction } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';

const service = useService();
const query = <Row>(text: string, values: unknown[] = []) =>
  service.database.query<Row>('admin', { text }, values);

const stored = 40_000;
const entries = 20_000;
/** Maximum rows that a read may examine here: far fewer than are stored, more than one page or a few minutes of sessions have. */
const maxRows = 2_600;
const recent = 500;
/** Rolled up sessions that are still active: most of them of one project. */
const active = 5_000;
let world: World;
let other: World;
let below: string;

beforeAll(async () => {
  world = await createWorld(service);
  other = await createWorld(service);
  const { json } = await mintFromServer(service, world.key, { experienceId: world.experienceId });
  const { sessionId } = json.session;
  const now = Date.now();
  below = firstIdAt('ses', now - 300_000);
  // First, so that housekeeping does not count the sessions that follow.
  await query(
    `INSERT INTO usage_progress (below, next, revisions_below) VALUES ($1, $1, $1)
               ON CONFLICT (is_only) DO UPDATE SET below = $1, next = $1, revisions_below = $1`,
    [below],
  );
  // In batches, because of the time limit of a statement.
  const insert = async (count: number, prefix: string) => {
    for (let from = 1; from <= count; from += 2_000)
      await query(
        `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, given, created_at, expires_at)
         SELECT $2 || lpad(i::text, 12, '0'), s.project_id, s.experience_id, s.revision, s.livemode, s.source, s.given, s.created_at, s.expires_at
           FROM sessions s, generate_series($3::integer, $4::integer) i WHERE s.id = $1`,
        [sessionId, prefix, from, Math.min(from + 1_999, count)],
      );
  };
  await insert(stored, `${firstIdAt('ses', now - 3_600_000)}0`);
  await insert(recent, `${firstIdAt('ses', now - 60_000)}0`);
  await query(`INSERT INTO uncounted_sessions SELECT id FROM sessions WHERE id < $1 ORDER BY id LIMIT $2`, [
    below,
    active,
  ]);
  for (let from = 1; from <= entries; from += 2_000)
    await query(
      `INSERT INTO audit SELECT 'aud_' || lpad(i::text, 26, '0'), now(), 'opr_one', 'One', 'token', 'apply', $1, $1, 1, '[]', 'req_1', '::1'
         FROM generate_series($2::integer, $2 + 1999) i`,
      [world.projectId, from],
    );
  await query(`INSERT INTO usage_days VALUES ($1, current_date, $2, $3, 0)`, [
    world.projectId,
    world.experienceId,
    stored,
  ]);
  await query('INSERT INTO revision_counts VALUES ($1, $2, 1, $3)', [
    world.projectId,
    world.experienceId,
    stored,
  ]);
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Rows of tables that a plan examined, whether or not they passed a filter. */
function examined(plan: Plan): number {
  const own =
    plan['Relation Name'] === undefined
      ? 0
      : (plan['Actual Rows'] +
          (plan['Rows Removed by Filter'] ?? 0) +
          (plan['Rows Removed by Index Recheck'] ?? 0)) *
        plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, child) => sum + examined(child), own);
}

/** Executes a statement as the service does: a named one with the plan that it gets once it has been executed often. */
async function rowsOf(tx: Transaction, { name, text }: Statement, values: unknown[]): Promise<number> {
  const explain = 'EXPLAIN (ANALYZE, FORMAT JSON)';
  type Row = { 'QUERY PLAN': [{ Plan: Plan }] };
  if (name === undefined) {
    const [row] = await tx.query<Row>({ text: `${explain} ${text}` }, values);
    return examined(row!['QUERY PLAN'][0].Plan);
  }
  await tx.query({ text: `SET LOCAL plan_cache_mode = force_generic_plan` });
  await tx.query({ text: `PREPARE checked AS ${text}` });
  const [row] = await tx.query<Row>({
    text: `${explain} EXECUTE checked (${values.map(literal).join(', ')})`,
  });
  await tx.query({ text: 'DEALLOCATE checked' });
  return examined(row!['QUERY PLAN'][0].Plan);
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]::text[]`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

const today = new Date().toISOString().slice(0, 10);
const dayAgo = new Date(Date.now() - 86_400_000);
type Read = (world: World) => [Statement, unknown[]];
const reads: Record<string, Read> = {
  'revisions of an experience': ({ projectId, experienceId }) => [
    listRevisions,
    [projectId, experienceId, below, 20_000],
  ],
  'usage of a month, bounded': ({ projectId }) => [
    usage,
    [projectId, '2020-01-01', '2100-01-01', null, below, recent, recent],
  ],
  'usage of a project without sessions': () => [
    usage,
    [other.projectId, '2020-01-01', '2100-01-01', null, below, ...Object.values(usageBounds)],
  ],
  experiences: ({ projectId }) => [listExperiences, [projectId]],
  'the sessions of today, bounded': ({ projectId }) => [
    usage,
    [projectId, today, today, null, below, recent, recent],
  ],
  'state of a project with launches': ({ projectId }) => [projectState, [projectId, today, below]],
  'state of a project without launches': () => [projectState, [other.projectId, today, below]],
  'points of the overview': ({ projectId }) => [readPoints.statement, [projectId, dayAgo, 900]],
  'refusals of the overview': ({ projectId }) => [readRefusals.statement, [projectId, dayAgo, 50]],
  'durations of the overview': ({ projectId }) => [readDurations.statement, [projectId, dayAgo]],
  'the audit': () => [listAudit, [501, '~', null]],
  'the audit, by action': () => [listAudit, [2_000, '~', 'none']],
  'the audit of an operator': () => [listOfOperator, [501, '~', null, 'opr_one']],
  'the audit of a project': ({ projectId }) => [listOfProjects, [501, '~', null, null, [projectId], false]],
  'the audit of a project, by action': ({ projectId }) => [
    listOfProjects,
    [2_000, '~', 'none', null, [projectId], false],
  ],
  'the keys of a project': ({ projectId }) => [listKeys.statement, [projectId]],
  projects: ({ projectId }) => [listProjects, [[projectId]]],
  'the pictures that experiences name': ({ projectId }) => [mentions, [projectId]],
  'previews of an experience': ({ experienceId }) => [listPreviews.statement, [experienceId]],
};

describe.each(['without statistics', 'with statistics'])('%s', (state) => {
  beforeAll(async () => {
    if (state === 'with statistics') await query('ANALYZE');
  });

  // Without statistics, the planner estimates that a scan of this small table is cheaper than the index.
  const isSmall = (name: string) => state === 'without statistics' && name.includes('by action');
  const expected = Object.entries(reads).filter(([name]) => !isSmall(name));

  test.each(expected)('a read of %s examines few rows', async (_, read) => {
    const [statement, values] = read(world);
    const rows = await service.database.transaction((tx) => rowsOf(tx, statement, values));
    expect(rows).toBeLessThanOrEqual(maxRows);
  });
});

test('the audit of many projects, by action, examines a bounded number of entries, and its pages contain every match', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => `prj_audited_${n}`);
  await query(
    `INSERT INTO audit
       SELECT 'aud_' || lpad((i * 100 + n)::text, 26, 'a'), now(), 'opr_one', 'One', 'token', CASE WHEN i = 1 THEN 'rare' ELSE 'apply' END,
              'prj_audited_' || n, 'x', 1, '[]', 'req_1', '::1'
         FROM generate_series(0, 99) n, generate_series(1, 300) i`,
  );
  const asked: number[] = [];
  const database: typeof service.database = Object.create(service.database, {
    query: {
      value: (...call: Parameters<typeof service.database.query>) => {
        asked.push(call[2]![0] as number);
        return service.database.query(...call);
      },
    },
  });
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await readAudit(database, { projectIds: ids, action: 'rare' }, { limit: 50, cursor });
    for (const { auditId } of page.entries) found.add(auditId);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(found.size).toBe(100);
  expect(Math.max(...asked) * ids.length).toBeLessThanOrEqual(20_000);
});
