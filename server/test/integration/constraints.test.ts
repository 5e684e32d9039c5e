import {
  apply,
  createWorld,
  experience,
  mintFromServer,
  runtime,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { listKeys } from '../../src/keys/keys.ts';
import { listSessions, type SessionFilter } from '../../src/sessions/listing.ts';
import { forgetExpiredClaims } from '../../src/start/housekeeping.ts';
import type { Database, Statement, Workload } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';

const service = useService();

interface Refusal {
  code?: string;
  constraint?: string;
  message: string;
}

/** The error with which the database rejects a statement; `undefined` if it succeeds. */
async function refusal(statement: string): Promise<Refusal | undefined> {
  try {
    await run(statement);
    return undefined;
  } catch (error) {
    return error as Refusal;
  }
}

const run = <Row>(statement: string) => service.database.query<Row>('admin', { text: statement });

let world: World;
let other: World;
let sessionId: string;
beforeAll(async () => {
  world = await createWorld(service, { experiences: [experience(), experience()] });
  other = await createWorld(service);
  const { json } = await mintFromServer(
    service,
    world.key,
    { experienceId: world.experienceId },
    { 'Idempotency-Key': 'one' },
  );
  sessionId = json.session.sessionId;
});

/** SQL expressions by column. */
type Changes = Record<string, string>;

const json = (changes: Changes) =>
  `json_build_object(${Object.entries(changes).map(([column, value]) => `'${column}', ${value}`)})`;

/** Inserts a copy of an existing row with some columns changed. */
const copyOf = (table: string, where: string, changes: Changes) =>
  `INSERT INTO ${table} SELECT (json_populate_record(t, ${json(changes)})).* FROM ${table} t WHERE ${where} LIMIT 1`;

const text = (value: string) => `'${value}'::text`;
const nothing = 'NULL::text';
const project = (changes: Changes) =>
  copyOf('projects', `id = '${world.projectId}'`, { id: text('prj_new'), ...changes });
const key = (changes: Changes) =>
  copyOf('api_keys', `id = '${world.keyId}'`, {
    id: text('key_new'),
    hash: text(`\\x${'ab'.repeat(32)}`),
    ...changes,
  });
const exp = (changes: Changes) =>
  copyOf('experiences', `id = '${world.experienceId}'`, {
    id: text('exp_new'),
    slug: text('new'),
    ...changes,
  });
const revision = (changes: Changes) =>
  copyOf('revisions', `experience_id = '${world.experienceId}'`, { number: '2', ...changes });
const session = (changes: Changes) =>
  copyOf('sessions', `id = '${sessionId}'`, { id: text('ses_new'), ...changes });
const claim = (changes: Changes) =>
  copyOf('idempotency_keys', `session_id = '${sessionId}'`, {
    hash: text(`\\x${'cd'.repeat(32)}`),
    ...changes,
  });
const day = (changes: Changes) =>
  `INSERT INTO daily_sessions SELECT r.* FROM json_populate_record(NULL::daily_sessions, ${json({
    project_id: text(world.projectId),
    day: text('2030-01-01'),
    used: '1',
    ...changes,
  })}) r`;

const unique = '23505';
const foreign = '23503';
const check = '23514';
const missing = '23502';
const immutable = '23000';

describe('the database accepts valid rows of', () => {
  test.each<[string, () => string]>([
    ['projects', () => project({})],
    ['api_keys', () => key({})],
    ['experiences', () => exp({})],
    ['revisions', () => revision({})],
    ['sessions', () => session({})],
    ['idempotency_keys', () => claim({})],
    ['daily_sessions', () => day({})],
  ])('%s', async (_, statement) => {
    const undo = new Error('undone');
    const taken = service.database.transaction(async (tx) => {
      await tx.query({ text: statement() });
      throw undo;
    });
    await expect(taken).rejects.toBe(undo);
  });
});

describe('the database refuses', () => {
  test.each<[string, () => string, string, string]>([
    ['a project id without prefix', () => project({ id: text('new') }), check, 'projects_id_format'],
    [
      'a second project with the same id',
      () => project({ id: text(world.projectId) }),
      unique,
      'projects_pkey',
    ],
    ['a negative limit', () => project({ sessions_per_day: '-1' }), check, 'projects_limits_not_negative'],
    [
      'a negative limit next to an unset one',
      () => project({ mints_per_minute: '-1', mints_per_minute_per_client: 'NULL::integer' }),
      check,
      'projects_limits_not_negative',
    ],
    ['a project without a name', () => project({ name: nothing }), missing, ''],

    [
      'a key without a project',
      () => key({ project_id: text('prj_nobody') }),
      foreign,
      'api_keys_project_id_fkey',
    ],
    ['a key id without prefix', () => key({ id: text('new') }), check, 'api_keys_id_format'],
    ['an unknown mode', () => key({ mode: text('prod') }), check, 'api_keys_mode_known'],
    [
      'an unknown scope',
      () => key({ scopes: `ARRAY['sessions:create', 'all']` }),
      check,
      'api_keys_scopes_known',
    ],
    ['no scopes', () => key({ scopes: 'ARRAY[]::text[]' }), check, 'api_keys_scopes_known'],
    ['a hash of another length', () => key({ hash: text('\\xab') }), check, 'api_keys_hash_length'],
    [
      'two keys with the same hash',
      () => `INSERT INTO api_keys SELECT 'key_new', project_id, mode, hash, hint, name, scopes, created_at
                  FROM api_keys WHERE id = '${world.keyId}'`,
      unique,
      'api_keys_hash',
    ],

    ['an experience id without prefix', () => exp({ id: text('new') }), check, 'experiences_id_format'],
    [
      'an experience id of another project',
      () => exp({ id: text(other.experienceId) }),
      unique,
      'experiences_pkey',
    ],
    [
      'an experience without a project',
      () => exp({ project_id: text('prj_nobody') }),
      foreign,
      'experiences_project_id_fkey',
    ],
    [
      'a slug in use',
      () =>
        `UPDATE experiences SET slug = ${text(world.file.experiences[1]?.slug)} WHERE id = ${text(world.file.experiences[0]?.id)}`,
      unique,
      'experiences_slug_in_project',
    ],
    ['an upper-case slug', () => exp({ slug: text('New') }), check, 'experiences_slug_format'],
    ['a slug that ends in a dash', () => exp({ slug: text('new-') }), check, 'experiences_slug_format'],
    ['a slug of 65 characters', () => exp({ slug: text('a'.repeat(65)) }), check, 'experiences_slug_format'],
    ['an unknown status', () => exp({ status: text('live') }), check, 'experiences_status_known'],
    [
      'half of a gallery thumbnail',
      () => exp({ gallery_avatar_image: text('/avatars/a.svg') }),
      check,
      'experiences_gallery_whole',
    ],
    [
      'revision 0 as the latest',
      () => exp({ latest_revision: '0', published_revision: '0' }),
      check,
      'experiences_revision_positive',
    ],

    ['a latest revision that does not exist', () => exp({}), foreign, 'experiences_latest_revision_exists'],
    [
      'a revision without an experience',
      () => revision({ experience_id: text('exp_nobody') }),
      foreign,
      'revisions_experience_id_fkey',
    ],
    ['a duplicate revision', () => revision({ number: '1' }), unique, 'revisions_pkey'],
    ['revision 0', () => revision({ number: '0' }), check, 'revisions_number_positive'],

    ['a session id without prefix', () => session({ id: text('new') }), check, 'sessions_id_format'],
    ['a duplicate session', () => session({ id: text(sessionId) }), unique, 'sessions_pkey'],
    [
      'a session without an experience',
      () => session({ experience_id: text('exp_nobody') }),
      foreign,
      'sessions_experience_of_project',
    ],
    [
      'a session of another project',
      () => session({ project_id: text(other.projectId) }),
      foreign,
      'sessions_experience_of_project',
    ],
    ['a session of a missing revision', () => session({ revision: '99' }), foreign, 'sessions_revision'],
    ['an unknown source', () => session({ source: text('api') }), check, 'sessions_source_known'],
    [
      'a token that expires before it is issued',
      () => session({ expires_at: text('2020-01-01T00:00:00Z') }),
      check,
      'sessions_token_lives',
    ],
    [
      'an end before the start',
      () => session({ ended_at: text('2020-01-01T00:00:00Z') }),
      check,
      'sessions_end_after_start',
    ],
    ['a session without its player settings', () => session({ given: nothing }), missing, ''],

    [
      'an idempotency record without a session',
      () => claim({ session_id: text('ses_nobody') }),
      foreign,
      'idempotency_keys_session_id_fkey',
    ],
    [
      'an idempotency hash of another length',
      () => claim({ hash: text('\\xcd') }),
      check,
      'idempotency_keys_hash_length',
    ],
    [
      'a duplicate idempotency record',
      () => `INSERT INTO idempotency_keys SELECT * FROM idempotency_keys WHERE session_id = '${sessionId}'`,
      unique,
      'idempotency_keys_pkey',
    ],
    [
      'a daily counter without a project',
      () => day({ project_id: text('prj_nobody') }),
      foreign,
      'daily_sessions_project_id_fkey',
    ],
    ['a negative session count', () => day({ used: '-1' }), check, 'daily_sessions_not_negative'],

    ['removing a project in use', () => `DELETE FROM projects WHERE id = '${world.projectId}'`, foreign, ''],
    [
      'removing an experience in use',
      () => `DELETE FROM experiences WHERE id = '${world.experienceId}'`,
      foreign,
      '',
    ],
    [
      'many sessions of which one has no revision',
      () => `INSERT INTO sessions SELECT (json_populate_record(s, json_build_object(
        'id', 'ses_new' || n, 'revision', CASE n WHEN 7 THEN 99 ELSE s.revision END))).*
        FROM sessions s, generate_series(1, 20) n WHERE s.id = '${sessionId}'`,
      foreign,
      'sessions_revision',
    ],
    [
      'removing a session with an idempotency record',
      () => `DELETE FROM sessions WHERE id = '${sessionId}'`,
      foreign,
      '',
    ],
  ])('%s', async (_, statement, code, constraint) => {
    const refused = await refusal(statement());
    expect({ code: refused?.code, constraint: refused?.constraint ?? '' }, refused?.message).toEqual({
      code,
      constraint: constraint === '' ? expect.any(String) : constraint,
    });
  });
});

describe('revisions are immutable:', () => {
  test.each<[string, () => string, string]>([
    [
      'another runtime',
      () => `UPDATE revisions SET runtime = '{}' WHERE experience_id = '${world.experienceId}'`,
      immutable,
    ],
    ['another title', () => `UPDATE revisions SET title = 'T'`, immutable],
    ['the same values', () => 'UPDATE revisions SET number = number', immutable],
    ['a note with another title', () => `UPDATE revisions SET note = 'N', title = 'T'`, immutable],
    ['a deletion', () => `DELETE FROM revisions WHERE experience_id = '${world.experienceId}'`, immutable],
    ['a TRUNCATE', () => 'TRUNCATE revisions', '0A000'],
    [
      'a TRUNCATE with its experiences',
      () => 'TRUNCATE experiences, revisions, previews, revision_pictures',
      immutable,
    ],
    ['a session of another one', () => 'UPDATE sessions SET revision = revision', immutable],
    [
      'a session of another project',
      () => `UPDATE sessions SET project_id = '${other.projectId}', experience_id = '${other.experienceId}'`,
      immutable,
    ],
    [
      'an experience of another project',
      () => `UPDATE experiences SET project_id = '${other.projectId}' WHERE id = '${world.experienceId}'`,
      immutable,
    ],
  ])('%s', async (_, statement, code) => {
    const before = await run('SELECT * FROM revisions ORDER BY experience_id, number');
    expect(await refusal(statement())).toMatchObject({ code });
    expect(await run('SELECT * FROM revisions ORDER BY experience_id, number')).toEqual(before);
  });

  test('a new file adds another one', async () => {
    const [first] = world.file.experiences;
    await apply(service, {
      ...world.file,
      experiences: [{ ...first, runtime: runtime({ mode: 'presenter' }) }],
    });
    const rows = await run<{ number: number; mode: string }>(
      `SELECT number, runtime ->> 'mode' AS mode FROM revisions WHERE experience_id = '${first?.id}' ORDER BY number`,
    );
    expect(rows).toEqual([
      { number: 1, mode: 'conversation' },
      { number: 2, mode: 'presenter' },
    ]);
  });
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** Returns the query plan of the statement that a store function sends. */
async function planOf(ask: (database: Database) => Promise<unknown>): Promise<Plan[]> {
  let asked: { text: string; values?: unknown[] } | undefined;
  const query = async (_: Workload, { text }: Statement, values?: unknown[]) => {
    asked ??= { text, ...(values && { values }) };
    return [];
  };
  await ask({ query } as unknown as Database);
  const explain = { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${asked!.text}` };
  const [row] = await service.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    'everyday',
    explain,
    asked!.values,
  );
  const nodes: Plan[] = [];
  const collect = (plan: Plan) => {
    nodes.push(plan);
    plan.Plans?.forEach(collect);
  };
  collect(row!['QUERY PLAN'][0].Plan);
  return nodes;
}

const looked = (plan: Plan) =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];

describe('with many sessions', () => {
  const many = 6_000;
  const limit = 20;
  let crowd: World;
  let rare: string;

  beforeAll(async () => {
    crowd = await createWorld(service, { experiences: [experience(), experience()] });
    rare = crowd.file.experiences[1]?.id;
    const { json } = await mintFromServer(service, crowd.key, { experienceId: crowd.experienceId });
    // A few old rows of each kind: without an index, all newer rows of the project would have to be read. Inserted in several statements,
    // since the embedded engine would time out on a loaded machine.
    for (let first = 1; first < many; first += 1_000)
      await run(`
      INSERT INTO sessions
      SELECT (json_populate_record(s, json_build_object(
               'id', 'ses_' || lpad(i::text, 26, '0'),
               'experience_id', CASE WHEN i < 30 THEN '${rare}' ELSE s.experience_id END,
               'source', CASE WHEN i BETWEEN 30 AND 59 THEN 'browser' ELSE 'server' END,
               'origin', CASE WHEN i BETWEEN 30 AND 59 THEN 'https://a.example' END,
               'user_id', CASE WHEN i BETWEEN 60 AND 89 THEN 'ada' ELSE 'user' || (i % 500) END,
               'created_at', s.created_at - interval '2 days',
               'expires_at', s.created_at - interval '1 day',
               'started_at', CASE WHEN i BETWEEN 120 AND 149 THEN s.created_at END,
               'runtime_id', CASE WHEN i BETWEEN 120 AND 149 THEN 'rt' END,
               'end_reason', CASE WHEN i BETWEEN 90 AND 119 THEN 'api_request' END,
               'ended_at', CASE WHEN i BETWEEN 90 AND 119 THEN s.created_at END))).*
        FROM sessions s, generate_series(${first}, ${first + 999}) i
       WHERE s.id = '${json.session.sessionId}'`);
    await run(`ANALYZE sessions`);
  });

  const list = (filter: SessionFilter, cursor?: string) =>
    planOf((database) => listSessions(database, crowd.projectId, filter, { limit, cursor, at: new Date() }));

  const middle = `ses_${String(many / 2).padStart(26, '0')}`;
  const old = `ses_${String(118).padStart(26, '0')}`;
  test.each<[string, () => SessionFilter, string | undefined]>([
    ['all', () => ({}), undefined],
    ['all, from the middle', () => ({}), middle],
    ['of one experience', () => ({ experienceId: rare }), undefined],
    ['of one source', () => ({ source: 'browser' }), undefined],
    ['of one user', () => ({ userId: 'ada' }), undefined],
    ['that have ended', () => ({ status: 'ended' }), undefined],
    ['that have ended, from a cursor', () => ({ status: 'ended' }), old],
    ['that wait for a client', () => ({ status: 'created' }), undefined],
    ['that are active', () => ({ status: 'active' }), undefined],
    ['that have expired', () => ({ status: 'expired' }), undefined],
    ['of one user in a language', () => ({ userId: 'ada', locale: 'fr' }), undefined],
    ['of a source that are active', () => ({ status: 'active', source: 'server' }), undefined],
    ['of a day', () => ({ from: new Date(0), to: new Date(1) }), undefined],
  ])('a page of sessions %s reads few more rows than the page has', async (_, filter, before) => {
    const plan = await list(filter(), before);
    // A sequential scan of the few active sessions is acceptable.
    const ofSessions = plan.filter((node) => node['Relation Name'] !== 'active_sessions');
    expect(ofSessions.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(Math.max(...ofSessions.map(looked)), JSON.stringify(plan[0])).toBeLessThanOrEqual(60);
  });

  test('a page of sessions in a language that none has examines about 2000 of them', async () => {
    const plan = await list({ locale: 'fr' });
    const scans = plan.filter((node) => node['Relation Name'] === 'sessions');
    expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    expect(Math.max(...scans.map(looked)), JSON.stringify(plan[0])).toBeLessThanOrEqual(2_060);
  });

  test.each([
    ['active', 'sessions_active'],
    ['expired', 'sessions_waiting'],
  ] as const)('%s sessions are found by index among many that have ended', async (status, index) => {
    await run(`UPDATE sessions SET ended_at = created_at, end_reason = 'api_request'
      WHERE project_id = '${crowd.projectId}' AND id > '${old}' AND started_at IS NULL AND ended_at IS NULL`);
    await run(`ANALYZE sessions`);
    const plan = await list({ status });
    expect(plan.map((node) => node['Index Name'])).toContain(index);
    expect(Math.max(...plan.map(looked))).toBeLessThanOrEqual(60);
  });

  test('expired idempotency records and keys are found by index', async () => {
    await run(`
      INSERT INTO idempotency_keys
      SELECT decode(lpad(to_hex(i), 64, '0'), 'hex'), '\\x00', '${sessionId}', now() + (i - 10) * interval '1 minute'
        FROM generate_series(1, 3000) i`);
    await run(`
      INSERT INTO api_keys (id, project_id, mode, hash, hint, scopes, created_at)
      SELECT 'key_' || i, CASE WHEN i < 5 THEN '${other.projectId}' ELSE '${world.projectId}' END, 'test',
             decode(lpad(to_hex(i), 64, '0'), 'hex'), '…', ARRAY['catalog:read'], now()
        FROM generate_series(1, 3000) i`);
    await run(`ANALYZE idempotency_keys`);
    await run(`ANALYZE api_keys`);
    const asked: [(database: Database) => Promise<unknown>, string, number][] = [
      [forgetExpiredClaims, 'idempotency_keys_by_expiry', 20],
      [(database) => listKeys(database, other.projectId), 'api_keys_by_project', 10],
    ];
    for (const [ask, index, most] of asked) {
      const plan = await planOf(ask);
      expect(
        plan.map((node) => node['Index Name']),
        JSON.stringify(plan[0]),
      ).toContain(index);
      expect(Math.max(...plan.map(looked)), JSON.stringify(plan[0])).toBeLessThanOrEqual(most);
    }
  });
});
