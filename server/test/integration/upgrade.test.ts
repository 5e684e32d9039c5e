import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { formerDigests } from '../../src/store/migrations/former-digests.ts';
import { type Program, readProgram, type SqlFunction } from '../../src/store/migrations/migrations.ts';
import { type EmptyDatabase, emptyDatabase } from '../harness/empty-database.ts';

let database: EmptyDatabase;
let program: Program;
beforeAll(async () => {
  [database, program] = await Promise.all([emptyDatabase(), readProgram()]);
});
afterAll(() => database.drop());

/** Log lines as level, fields and message. */
type Logged = [level: string, fields: object, message: string];

/** Migrates and returns the log lines. */
async function started(changed: Partial<Program> = {}): Promise<Logged[]> {
  const lines: Logged[] = [];
  const note = (level: string) => (fields: object, message: string) => lines.push([level, fields, message]);
  const log = { info: note('info'), warn: note('warn') } as never;
  await database.migrate({ log, program: { ...program, ...changed } });
  return lines;
}

/** The SQL functions of this program, with one of them changed. */
function edited(name: string, edit: (statement: string) => string): SqlFunction[] {
  return program.functions.map((one) =>
    one.name === name
      ? { ...one, statement: edit(one.statement), digest: one.digest.split('').reverse().join('') }
      : one,
  );
}

const updated = (...functions: string[]): Logged => [
  'info',
  { migrations: [], functions },
  'updated the database schema',
];

const textOf = async (name: string) =>
  (await database.query<{ text: string }>('SELECT prosrc AS text FROM pg_proc WHERE proname = $1', [name]))[0]
    ?.text;

const fixture = new URL('../fixtures/database-0.1.0.sql', import.meta.url);

describe('a database of version 0.1.0', () => {
  const tables = [
    'projects',
    'api_keys',
    'experiences',
    'revisions',
    'sessions',
    'active_sessions',
    'active_counts',
    'idempotency_keys',
    'daily_sessions',
  ];
  const rowsOf = async (table: string) =>
    (await database.query<{ row: object }>(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY 1`)).map(
      ({ row }) => row,
    );
  const allRows = async () =>
    Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await rowsOf(table)] as const)));
  const signatures = () =>
    database.query<{ name: string; takes: string; returns: string }>(`
      SELECT proname AS name, pg_get_function_arguments(p.oid) AS takes, pg_get_function_result(p.oid) AS returns
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace AND n.nspname = 'public' ORDER BY 1`);

  let before: Awaited<ReturnType<typeof allRows>>;
  let callable: Awaited<ReturnType<typeof signatures>>;
  let log: Logged[];
  beforeAll(async () => {
    await database.load(await readFile(fixture, 'utf8'));
    [before, callable] = [await allRows(), await signatures()];
    log = await started();
  });

  test('keeps its rows when it is upgraded', async () => {
    expect(before.sessions).toHaveLength(6);
    expect(before.active_counts).toMatchObject([{ active: 1 }]);
    const after = await allRows();
    for (const table of tables) {
      expect(after[table]).toHaveLength(before[table]!.length);
      expect(after[table], table).toMatchObject(before[table]!);
    }
  });

  test('gets the later migrations and all functions, and the log says so', async () => {
    const migrations = program.migrations.slice(1).map(({ name }) => name);
    const functions = program.functions.map(({ name }) => name);
    expect(log).toEqual([['info', { migrations, functions }, 'updated the database schema']]);
    expect(await started()).toEqual([]);
  });

  test('publishes what was live: the newest revision of each published experience', async () => {
    const rows = await database.query<Record<string, unknown>>(
      `SELECT e.status, e.latest_revision AS latest, e.published_revision AS published, e.published_slug = r.slug AS "hasSlug",
              e.live_at = e.updated_at AS "isSameTime", e.version
         FROM experiences e LEFT JOIN revisions r ON r.experience_id = e.id AND r.number = e.published_revision`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.some(({ status }) => status === 'published')).toBe(true);
    for (const row of rows) {
      const isLive = row.status === 'published';
      expect(row).toMatchObject({
        published: isLive ? row.latest : null,
        hasSlug: isLive ? true : null,
        isSameTime: true,
        version: 1,
      });
    }
  });

  test('publishes each revision that a process of version 0.1.0 writes for a published experience', async () => {
    const [before] = await database.query<{ id: string; latest: number }>(
      `SELECT id, latest_revision AS latest FROM experiences WHERE status = 'published' ORDER BY id LIMIT 1`,
    );
    const { id, latest } = before!;
    // As its statement for files does it: one statement, the experience first.
    await database.query(
      `WITH written AS (
         INSERT INTO experiences (id, project_id, slug, title, sort_order, status, public, allowed_origins, latest_revision,
           created_at, updated_at)
         SELECT id, project_id, slug || '-new', 'New', sort_order, status, public, allowed_origins, latest_revision + 1, now(), now()
           FROM experiences WHERE id = $1
         ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, title = excluded.title, status = excluded.status,
           latest_revision = excluded.latest_revision, updated_at = excluded.updated_at)
       INSERT INTO revisions (experience_id, number, slug, title, runtime, created_at)
       SELECT experience_id, number + 1, slug || '-new', 'New', runtime, now() FROM revisions
        WHERE experience_id = $1 AND number = $2`,
      [id, latest],
    );
    const [found] = await database.query<{ revision: object; slug: string }>(
      `SELECT f.revision, e.published_slug AS slug FROM find_experiences(ARRAY[$1]) f JOIN experiences e ON e.id = $1`,
      [id],
    );
    expect(found?.revision).toMatchObject({ number: latest + 1, title: 'New' });
    expect(found?.slug).toMatch(/-new$/);
  });

  test('keeps every function callable for processes of version 0.1.0', async () => {
    const after = await signatures();
    expect(callable.length).toBeGreaterThan(10);
    for (const { name, takes, returns } of callable) {
      const kept = after.find((one) => one.name === name);
      expect(kept, name).toMatchObject({ takes });
      // Additional result columns are compatible: statements name the columns that they read.
      expect(kept?.returns.startsWith(returns.replace(/\)$/, '')), name).toBe(true);
    }
  });
});

test('a trigger function may name a column that a later migration adds than one that changes rows', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-migrations-'));
  const own = await emptyDatabase();
  onTestFinished(async () => {
    await own.drop();
    await rm(folder, { recursive: true });
  });
  await cp(new URL('../../migrations/', import.meta.url), folder, { recursive: true });
  const file = join(folder, 'functions/complete_experience.sql');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('BEGIN\n', "BEGIN\n  NEW.later := 'set';\n"));
  await writeFile(join(folder, '0998_change.sql'), "UPDATE experiences SET title = title || '!';");
  await writeFile(join(folder, '0999_later.sql'), 'ALTER TABLE experiences ADD COLUMN later text;');
  await own.load(await readFile(fixture, 'utf8'));
  await own.migrate({ program: await readProgram(pathToFileURL(`${folder}/`)) });
  await own.query("UPDATE experiences SET title = title || '!'");
  const rows = await own.query<{ later: string; title: string }>('SELECT later, title FROM experiences');
  expect(rows.length).toBeGreaterThan(0);
  for (const { later, title } of rows) {
    expect(later).toBe('set');
    expect(title).toMatch(/!!$/);
  }
});

test('digests that earlier versions recorded are accepted, and others are not', async () => {
  const own = await emptyDatabase();
  onTestFinished(own.drop);
  await own.migrate();
  for (const [version, digests] of Object.entries(formerDigests))
    for (const digest of digests) {
      await own.query('UPDATE schema_migrations SET digest = $2 WHERE version = $1', [version, digest]);
      await own.migrate();
    }
  await own.query(`UPDATE schema_migrations SET digest = 'another' WHERE version = 2`);
  await expect(own.migrate()).rejects.toThrow('unreleased version');
});

describe('a function', () => {
  beforeEach(() => started());

  test('whose text differs is replaced, and the database is accepted', async () => {
    const functions = edited('known_claims', (text) => text.replace('BEGIN', 'BEGIN -- edited'));
    expect(await started({ functions })).toEqual([updated('known_claims')]);
    expect(await textOf('known_claims')).toContain('-- edited');
    expect(await started({ functions })).toEqual([]);
    expect(await started()).toEqual([updated('known_claims')]);
    expect(await textOf('known_claims')).not.toContain('-- edited');
  });

  test('whose comment alone differs is replaced', async () => {
    const functions = edited('find_keys', (text) => `-- A note.\n${text}`);
    expect(await started({ functions })).toEqual([updated('find_keys')]);
    expect(await started()).toEqual([updated('find_keys')]);
  });

  test('whose result type differs is dropped and created', async () => {
    const functions = edited('known_claims', (text) =>
      text
        .replace('TABLE (n integer)', 'TABLE (n integer, more text)')
        .replace('SELECT i.n', 'SELECT i.n, NULL'),
    );
    expect(await started({ functions })).toEqual([updated('known_claims')]);
    expect(await database.query("SELECT n, more FROM known_claims('[]')")).toEqual([]);
    expect(await started()).toEqual([updated('known_claims')]);
  });

  test('that cannot be created leaves the database unchanged', async () => {
    const functions = edited('known_claims', (text) => text.replace('BEGIN', 'NONSENSE'));
    await expect(started({ functions })).rejects.toThrow('NONSENSE');
    expect(await started()).toEqual([]);
  });

  test('of a newer version is kept by an older program, which logs it', async () => {
    const newer = { version: '0.10.0', functions: edited('known_claims', (text) => `${text}\n-- newer`) };
    const older = { version: '0.9.1' };
    expect(await started(newer)).toEqual([updated('known_claims')]);
    const left: Logged = [
      'warn',
      { version: '0.9.1', newerVersion: '0.10.0' },
      'the functions in the database are of a newer version; they are left unchanged',
    ];
    for (let turn = 0; turn < 2; turn++) {
      expect(await started(older)).toEqual([left]);
      expect(await started(newer)).toEqual([]);
    }
    const more = { ...program.functions[0]!, name: 'removed_since' };
    await expect(started({ ...older, functions: [...program.functions, more] })).rejects.toThrow(
      /newer version of this program; start that version/,
    );
    expect(await started({ version: '1.0.0' })).toEqual([updated('known_claims')]);
  });
});

const onPostgres =
  inject('engine') === 'postgres' ? describe : (_name: string, _tests: () => void) => undefined;

onPostgres('an upgrade', () => {
  async function ownDatabase(): Promise<EmptyDatabase & { url: string }> {
    const own = await emptyDatabase();
    onTestFinished(own.drop);
    return { ...own, url: own.url! };
  }

  const versions = async ({ query }: EmptyDatabase) =>
    (await query<{ version: number }>('SELECT version FROM schema_migrations ORDER BY version')).map(
      ({ version }) => version,
    );

  async function connection(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url, statement_timeout: 10_000 });
    client.on('error', () => undefined);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  }

  /** This program with an additional migration. */
  function withMigration(...statements: string[]): Program {
    const further = { version: 1_000, name: '1000_further', digest: 'of 1000', statements };
    return { ...program, migrations: [...program.migrations, further] };
  }

  /** Needs an exclusive lock on the table `sessions`, as most schema changes do. */
  const next = ['LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE', 'ALTER TABLE sessions ADD COLUMN more text'];

  test('lets other clients use the table while it waits for a long read', async () => {
    const own = await ownDatabase();
    await own.migrate();
    const reader = await connection(own.url);
    await reader.query('BEGIN; SELECT FROM sessions');
    const upgrading = own.migrate({ program: withMigration(...next) });
    const client = await connection(own.url);
    const waits = async () =>
      (
        await client.query(
          `SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%'`,
        )
      ).rowCount === 1;
    for (let seen = 0; seen < 2; seen++) {
      while (!(await waits())) await sleep(10);
      // Succeeds after the upgrade has given up its lock attempt, well within the statement timeout.
      await client.query('SELECT FROM sessions');
    }
    expect(await versions(own)).not.toContain(1_000);
    await reader.query('COMMIT');
    await upgrading;
    expect(await versions(own)).toContain(1_000);
  });

  test('keeps statements prepared by a process of version 0.1.0 working', async () => {
    const own = await ownDatabase();
    await own.load(await readFile(fixture, 'utf8'));
    const old = await connection(own.url);
    const [waiting] = await own.query<{ id: string; project: string }>(
      'SELECT id, project_id AS project FROM sessions WHERE started_at IS NULL ORDER BY id',
    );
    const { id, project } = waiting!;
    const statements: [text: string, values: unknown[]][] = [
      [
        'SELECT outcome, n, used, quota, prior FROM record_sessions($1, $2, $3, $4, $5)',
        ['{}', '[]', null, null, false],
      ],
      ['SELECT outcome, session FROM connect_session($1, $2)', [id, 'rt_old']],
      ['SELECT kind, session_id, reason, added FROM report_sessions($1, $2)', ['rt_old', '[]']],
      [
        'SELECT n, session, seconds FROM find_sessions($1)',
        [JSON.stringify([{ n: 0, projectId: project, sessionId: id }])],
      ],
      [
        'SELECT session_id FROM end_silent_sessions(make_interval(secs => $1::double precision / 1000), $2)',
        [1e12, 5],
      ],
      ['SELECT session, ended_now, added FROM end_session($1, $2, $3)', [project, 'ses_none', 'api_request']],
      ['SELECT experience, project, revision FROM find_experiences($1)', [['exp_none']]],
    ];
    const all = async () => {
      const found: unknown[] = [];
      for (const [text, values] of statements)
        found.push((await old.query({ name: text.slice(0, 60), text, values })).rows.length);
      return found;
    };
    const before = await all();
    expect(before).toEqual([0, 1, 1, 1, 0, 0, 0]);
    await own.migrate();
    expect(await all()).toEqual(before);
  });

  test('succeeds while processes of the version before mint without a pause', async () => {
    const own = await ownDatabase();
    await own.load(await readFile(new URL('../fixtures/before-publishing.sql', import.meta.url), 'utf8'));
    const counted = async () =>
      (await own.query<{ count: number }>('SELECT count(*)::integer AS count FROM sessions'))[0]!.count;
    const before = await counted();
    let minted = 0;
    let isOver = false;
    // As a mint does it: locks sessions, then experiences and revisions in the trigger.
    const mints = async (process: number) => {
      const client = await connection(own.url);
      for (let n = 0; !isOver; n++, minted++)
        await client.query(
          `INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, given, created_at, expires_at)
           SELECT $1, project_id, experience_id, revision, livemode, source, given, now(), now() + interval '1 minute'
             FROM sessions WHERE id = (SELECT min(id) FROM sessions)`,
          [`ses_${process}_${n}`],
        );
    };
    const minting = [0, 1, 2, 3].map(mints);
    const outcome = await Promise.race([
      own.migrate().then(() => 'upgraded'),
      Promise.all(minting).then(() => 'stopped minting'),
    ]).finally(() => {
      isOver = true;
    });
    await Promise.all(minting);
    expect(outcome).toBe('upgraded');
    expect(minted).toBeGreaterThan(0);
    expect(await counted()).toBe(before + minted);
  });

  test('that fails changes nothing', async () => {
    const own = await ownDatabase();
    await own.migrate();
    const before = await versions(own);
    const broken = withMigration('CREATE TABLE half ()', 'SELECT nonsense');
    await expect(own.migrate({ program: broken })).rejects.toThrow(/could not be brought up to date/);
    expect(await versions(own)).toEqual(before);
    expect(await own.query("SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
  });

  test('refuses a database from before the first release, and leaves it unchanged', async () => {
    const own = await ownDatabase();
    await own.query('CREATE TABLE schema_migrations (id serial PRIMARY KEY, hash text, created_at bigint)');
    await expect(own.migrate()).rejects.toThrow(/an unreleased version/);
  });

  test('refuses a database created by an edited migration', async () => {
    const own = await ownDatabase();
    const [first, ...later] = program.migrations;
    const other = {
      ...program,
      migrations: [
        {
          ...first!,
          digest: 'of another form',
          statements: [...first!.statements, 'ALTER TABLE sessions ADD COLUMN more text'],
        },
        ...later,
      ],
    };
    await own.migrate({ program: other });
    await expect(own.migrate()).rejects.toThrow(/cannot be upgraded/);
    await own.migrate({ program: other });
  });
});
