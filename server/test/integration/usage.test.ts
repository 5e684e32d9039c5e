import { connect, type Launch, launched, report } from '@session-launch/testing/lifecycle.ts';
import {
  apply,
  createWorld,
  expectError,
  experience,
  mintFromServer,
} from '@session-launch/testing/world.ts';
import pino from 'pino';
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { list as listRevisions } from '../../src/editing/history.ts';
import { firstIdAt } from '../../src/primitives/ids.ts';
import { Retention } from '../../src/sessions/retention.ts';
import { readUsage, select, usageBounds } from '../../src/statistics/usage.ts';
import { rollUp, rollUpAfterMs, rollUpUsage } from '../../src/statistics/usage-roll-up.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import { noHousekeeping, useService } from '../harness/service.ts';
import { useSessionLives } from '../harness/session-lives.ts';
import { rollUpAll, usageBySessions } from '../harness/usage.ts';

// The embedded engine has one connection, so no transaction meets the lock of another one.
const onPostgres = test.skipIf(inject('engine') === 'embedded');

const service = useService({}, noHousekeeping);
const { query, pass } = useSessionLives(service);
const log = pino({ level: 'silent' });
const day = 86_400_000;
const allDays = { from: '2020-01-01', to: '2100-01-01' };

const read = (projectId: string, search = '', accept = '*/*') =>
  service.admin({ path: `/admin/projects/${projectId}/usage${search}`, headers: { Accept: accept } });
const total = async (projectId: string) => {
  const { days, isCounting } = await readUsage(service.database, projectId, allDays);
  expect(isCounting).toBe(false);
  return days.reduce((sum, { sessions, seconds }) => [sum[0]! + sessions, sum[1]! + seconds], [0, 0]);
};

describe('usage', () => {
  test('lists sessions and seconds per day and experience, running sessions included', async () => {
    const experiences = [experience({ id: 'exp_usage_b' }), experience({ id: 'exp_usage_a' })];
    const world = await createWorld(service, { experiences });
    const [b, a] = await Promise.all(
      ['exp_usage_b', 'exp_usage_a'].map((experienceId) => launched(service, { ...world, experienceId })),
    );
    await launched(service, { ...world, experienceId: 'exp_usage_a' });
    for (const launch of [a!, b!]) {
      await connect(service, launch);
      await pass(launch.sessionId, 50);
      await report(service, [{ sessionId: launch.sessionId, seconds: 30 }]);
    }
    await report(service, [{ sessionId: a!.sessionId, seconds: 31, ended: 'client_ended' }]);
    await query(`UPDATE sessions SET created_at = created_at - interval '2 days' WHERE id = $1`, [
      b!.sessionId,
    ]);
    const at = (id: string) =>
      query<{ day: string }>(
        `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM sessions WHERE id = $1`,
        [id],
      );
    const [[first], [second]] = [await at(b!.sessionId), await at(a!.sessionId)];
    const days = [
      { day: first!.day, experienceId: 'exp_usage_b', sessions: 1, seconds: 30 },
      { day: second!.day, experienceId: 'exp_usage_a', sessions: 2, seconds: 31 },
    ];
    const shown = async () => (await read(world.projectId)).json;
    // A test that runs at midnight may have two days for exp_usage_a.
    const isSplit = (await shown()).days.length > 2;
    if (!isSplit) expect(await shown()).toEqual({ days });
    const before = await shown();
    await rollUpAll(service.database, Date.now() + 1);
    expect(await shown()).toEqual(before);
    const table = await read(world.projectId, '', 'text/csv');
    expect(table.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = before.days.map(Object.values).map((cells: unknown[]) => `${cells.join(',')}\r\n`);
    expect(table.text).toBe(`day,experienceId,sessions,seconds\r\n${lines.join('')}`);
    const [early] = (await read(world.projectId, `?from=${first!.day}&to=${first!.day}`)).json.days;
    expect(early).toEqual(days[0]);
    expect((await read(world.projectId, '?from=2020-01-01&to=2020-12-31')).json).toEqual({ days: [] });
  });

  test.each([
    ['?from=2026-02-30', 'from'],
    ['?from=yesterday', 'from'],
    ['?to=2026-2-3', 'to'],
    ['?from=2026-03-02&to=2026-03-01', 'from'],
    ['?from=2015-01-01&to=2026-02-05', 'from'],
    ['?to=0000-01-01', 'to'],
    ['?day=2026-03-01', 'day'],
  ])('%s is 400 at %s', async (search, path) => {
    const { projectId } = await createWorld(service);
    const answer = await read(projectId, search);
    expectError(answer, 400, 'INVALID_REQUEST');
    expect(answer.json.error.details[0].path).toBe(path);
  });

  test('covers ten years at most, and is 404 for an unknown project', async () => {
    const { projectId } = await createWorld(service);
    expect((await read(projectId, '?from=2025-01-01&to=2026-02-04')).status).toBe(200);
    expectError(await read('prj_none'), 404, 'PROJECT_NOT_FOUND');
  });

  test('asks for fewer days if the response would be too large', async () => {
    const { projectId } = await createWorld(service);
    await query(
      `INSERT INTO usage_days (project_id, day, experience_id, sessions, seconds)
       SELECT $1, date '2026-01-01' + i / 1000, 'exp_many_' || i % 1000, 1, 1 FROM generate_series(0, 100000) i`,
      [projectId],
    );
    const search = '?from=2026-01-01&to=2026-05-01';
    for (const accept of ['*/*', 'text/csv']) {
      const refused = await read(projectId, search, accept);
      expectError(refused, 400, 'INVALID_REQUEST');
      expect(refused.json.error.details).toEqual([
        { path: 'from', message: 'selects more than 100000 rows; choose fewer days' },
      ]);
    }
    expect((await read(projectId, '?from=2026-01-02&to=2026-05-01')).json.days).toHaveLength(99_001);
    await query('DELETE FROM usage_days WHERE project_id = $1', [projectId]);
  });
});

test('usage aggregates a bounded number of sessions that are not rolled up, and says that the numbers are lower bounds', async () => {
  const world = await createWorld(service);
  const launches: Launch[] = [];
  for (let n = 0; n < 3; n++) launches.push(await launched(service, world));
  const of = async (most: number, range = allDays) => {
    const { days, isCounting } = await readUsage(service.database, world.projectId, range, undefined, {
      recent: most,
      entered: most,
    });
    return { sessions: days.reduce((sum, { sessions }) => sum + sessions, 0), isCounting };
  };
  // Above the watermark, and then in uncounted_sessions.
  for (const next of [() => undefined, () => rollUpAll(service.database, Date.now() + 1)]) {
    await next();
    expect(await of(2)).toEqual({ sessions: 2, isCounting: true });
    expect(await of(2, { from: '2020-01-01', to: '2020-01-02' })).toEqual({ sessions: 0, isCounting: true });
    expect(await of(4)).toEqual({ sessions: 3, isCounting: false });
    await Promise.all(launches.map((launch) => connect(service, launch)));
  }
  const entered = 'SELECT count(*)::integer AS count FROM uncounted_sessions WHERE project_id = $1';
  expect(await query(entered, [world.projectId])).toEqual([{ count: 3 }]);
});

test('while more sessions are not rolled up than one read aggregates, the responses say that numbers are lower bounds', async () => {
  const { projectId } = await createWorld(service);
  await rollUpAll(service.database);
  await query(`INSERT INTO uncounted_sessions SELECT 'many_' || i FROM generate_series(1, $1::integer) i`, [
    usageBounds.entered,
  ]);
  await query(`UPDATE uncounted_sessions SET project_id = $1 WHERE session_id LIKE 'many_%'`, [projectId]);
  const usage = await read(projectId);
  expect(usage.json).toEqual({ days: [], counting: true });
  expect(usage.headers['usage-counting']).toBe('true');
  const table = await read(projectId, '', 'text/csv');
  expect(table.headers['usage-counting']).toBe('true');
  const list = await askAdmin(service, 'GET /admin/projects/{projectId}/experiences', {
    params: { projectId },
  });
  expect(list.counting).toBe(true);
  await query(`DELETE FROM uncounted_sessions WHERE session_id LIKE 'many_%'`);
  expect((await read(projectId)).headers).not.toHaveProperty('usage-counting');
});

describe('the roll-up', () => {
  // All sessions count as not rolled up again.
  beforeEach(async () => {
    await query('DELETE FROM usage_progress');
    await query('DELETE FROM usage_days');
    await query('DELETE FROM uncounted_sessions');
    await query('DELETE FROM revision_counts');
  });

  test('counts a session once that is recorded below the watermark, as a delayed mint or a slow clock does', async () => {
    const world = await createWorld(service);
    // From now on, the ids of this process are a minute below the watermark.
    await rollUpAll(service.database, Date.now() + 60_000);
    const launch = await launched(service, world);
    expect(await total(world.projectId)).toEqual([1, 0]);
    expect(
      await query('SELECT FROM uncounted_sessions WHERE session_id = $1', [launch.sessionId]),
    ).toHaveLength(1);
    await pass(launch.sessionId, (2 * day) / 1000);
    await rollUpAll(service.database, Date.now() + 60_000);
    expect(await query('SELECT FROM uncounted_sessions WHERE session_id = $1', [launch.sessionId])).toEqual(
      [],
    );
    expect(await total(world.projectId)).toEqual([1, 0]);
  });

  test('continues in a dump that was restored into a server with smaller transaction ids', async () => {
    const world = await createWorld(service);
    await rollUpAll(service.database);
    await launched(service, world);
    const target = firstIdAt('ses', Date.now() + 1);
    await query(`UPDATE usage_progress SET next = $1, announced_by = '1000000000000'`, [target]);
    const state = `SELECT below < next AND announced_by >= pg_snapshot_xmax(pg_current_snapshot()) AS waits FROM usage_progress`;
    expect(await query(state)).toEqual([{ waits: true }]);
    await rollUpUsage(service.database, new Date(Date.now() + rollUpAfterMs));
    expect(await query(state)).toEqual([{ waits: false }]);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await total(world.projectId)).toEqual([1, 0]);
  });

  test('counts seconds of a session that connects after it was counted', async () => {
    const world = await createWorld(service);
    const launch = await launched(service, world);
    await rollUpAll(service.database, Date.now() + 1);
    const stored = () =>
      query<{ sessions: number }>(
        'SELECT sum(sessions)::integer AS sessions FROM usage_days WHERE project_id = $1',
        [world.projectId],
      );
    expect(await stored()).toEqual([{ sessions: 1 }]);
    expect((await connect(service, launch)).status).toBe(200);
    expect(await stored()).toEqual([{ sessions: 0 }]);
    // Moves the start only: the day of the mint has been counted.
    await query(
      `UPDATE active_sessions SET started_at = started_at - interval '50 seconds' WHERE session_id = $1`,
      [launch.sessionId],
    );
    await report(service, [{ sessionId: launch.sessionId, seconds: 20 }]);
    expect(await total(world.projectId)).toEqual([1, 20]);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await total(world.projectId)).toEqual([1, 20]);
    await report(service, [{ sessionId: launch.sessionId, seconds: 21, ended: 'client_ended' }]);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await total(world.projectId)).toEqual([1, 21]);
    expect(await stored()).toEqual([{ sessions: 1 }]);
  });

  test('works off years of sessions in bounded steps, newer ones counted live meanwhile', async () => {
    const world = await createWorld(service);
    const { sessionId } = await launched(service, world);
    // In a transaction that is rolled back, because it deletes what other tests have counted.
    const counted: number[] = [];
    const rolledBack = service.database.transaction(async (tx) => {
      await tx.query({ text: 'DELETE FROM usage_progress' });
      await tx.query({ text: 'DELETE FROM usage_days' });
      await tx.query({ text: 'DELETE FROM uncounted_sessions' });
      await tx.query({ text: `INSERT INTO usage_progress VALUES (true, '', 'ses_01', '1')` });
      const insert = `
        INSERT INTO sessions
        SELECT (json_populate_record(s, json_build_object('id', 'ses_00' || lpad(i::text, 24, '0'),
                 'created_at', now() - i * interval '1 hour', 'expires_at', now()))).*
          FROM sessions s, generate_series(1, 2500) i WHERE s.id = $1`;
      await tx.query({ text: insert }, [sessionId]);
      for (let n = 0; n < 3; n++) {
        await tx.query(rollUp, ['ses_01', new Date(0), 1000]);
        const days = await tx.query<{ sessions: number }>(select, [
          world.projectId,
          allDays.from,
          allDays.to,
          null,
          '',
          ...Object.values(usageBounds),
        ]);
        expect(days.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(2501);
        const [row] = await tx.query<{ sum: number }>({
          text: 'SELECT sum(sessions)::integer FROM usage_days',
        });
        counted.push(row!.sum);
      }
      throw new Error('roll back');
    });
    await expect(rolledBack).rejects.toThrow('roll back');
    expect(counted).toEqual([1000, 2000, 2500]);
  });

  const revisionsOf = async ({ experienceId }: { experienceId: string }) =>
    await askAdmin(service, 'GET /admin/experiences/{experienceId}/revisions', { params: { experienceId } });
  /** As if an earlier version, which did not count sessions per revision, had rolled up all sessions. */
  const forgetRevisions = async () => {
    await query('DELETE FROM revision_counts');
    await query(`UPDATE usage_progress SET revisions_below = ''`);
  };

  test('counts sessions per revision, also those that have been deleted', async () => {
    const world = await createWorld(service);
    const [first, second] = [await launched(service, world), await launched(service, world)];
    await connect(service, first);
    world.file.experiences[0]!.title = 'Renamed';
    await apply(service, world.file);
    await launched(service, world);
    const wanted = {
      revisions: [
        { revision: 2, sessions: 1 },
        { revision: 1, sessions: 2 },
      ],
    };
    expect(await revisionsOf(world)).toMatchObject(wanted);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await revisionsOf(world)).toMatchObject(wanted);
    // A session connects after it was counted, and ends.
    await connect(service, second);
    expect(await revisionsOf(world)).toMatchObject(wanted);
    for (const { sessionId } of [first, second])
      await report(service, [{ sessionId, seconds: 0, ended: 'client_ended' }]);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await revisionsOf(world)).toMatchObject(wanted);
    await new Retention({ database: service.database, log }, 1).run(new Date(Date.now() + 3 * day), 60_000);
    expect(await query('SELECT FROM sessions WHERE project_id = $1', [world.projectId])).toEqual([]);
    const shown = await revisionsOf(world);
    expect(shown).toMatchObject(wanted);
    expect(shown).not.toHaveProperty('counting');
  });

  test('counts sessions of an earlier version per revision in bounded steps, and shows a lower bound until then', async () => {
    const world = await createWorld(service);
    for (let n = 0; n < 5; n++) await launched(service, world);
    await rollUpAll(service.database, Date.now() + 1);
    await forgetRevisions();
    await launched(service, world);
    expect(await revisionsOf(world)).toMatchObject({ counting: true, revisions: [{ sessions: 1 }] });
    await new Retention({ database: service.database, log }, 1).run(new Date(Date.now() + 3 * day), 60_000);
    expect(await query('SELECT FROM sessions WHERE project_id = $1', [world.projectId])).toHaveLength(6);
    const sessions: number[] = [];
    for (let n = 0; n < 100 && (await revisionsOf(world)).counting; n++) {
      await query(rollUp.text, ['', new Date(0), 2]);
      sessions.push((await revisionsOf(world)).revisions[0]!.sessions);
    }
    expect(sessions.length).toBeGreaterThanOrEqual(3);
    expect(sessions).toEqual([...sessions].sort((a, b) => a - b));
    expect(await revisionsOf(world)).toMatchObject({ revisions: [{ sessions: 6 }] });
  });

  test.each([
    ['before sessions of an earlier version are counted per revision', true],
    ['after', false],
  ])('counts a session once for its revision that is recorded late, %s', async (_, isBefore) => {
    const world = await createWorld(service);
    await launched(service, world);
    await rollUpAll(service.database, Date.now() + 60_000);
    if (isBefore) await forgetRevisions();
    const late = await launched(service, world);
    expect(
      await query('SELECT is_late FROM uncounted_sessions WHERE session_id = $1', [late.sessionId]),
    ).toEqual([{ is_late: true }]);
    if (!isBefore) expect(await revisionsOf(world)).toMatchObject({ revisions: [{ sessions: 2 }] });
    await connect(service, late);
    await rollUpAll(service.database, Date.now() + 60_000);
    expect(await revisionsOf(world)).toMatchObject({ revisions: [{ sessions: 2 }] });
    await report(service, [{ sessionId: late.sessionId, seconds: 0, ended: 'client_ended' }]);
    await rollUpAll(service.database, Date.now() + 60_000);
    expect(await query('SELECT FROM uncounted_sessions WHERE session_id = $1', [late.sessionId])).toEqual([]);
    expect(await revisionsOf(world)).toMatchObject({ revisions: [{ sessions: 2 }] });
  });

  test('adds nothing to a project whose sessions are being deleted', async () => {
    const { projectId } = await createWorld(service);
    await query(`INSERT INTO usage_progress (below, next) VALUES ('', '')`);
    await service.database.transaction(async (tx) => {
      await tx.query({ text: 'SELECT FROM delete_project_sessions($1, 10)' }, [projectId]);
      if (service.database.engine === 'embedded') return;
      expect(
        await query('SELECT roll_up_usage($1, now(), 10) AS more', [firstIdAt('ses', Date.now())]),
      ).toEqual([{ more: null }]);
    });
  });

  test('does not count previews', async () => {
    const world = await createWorld(service);
    const { sessionId } = await launched(service, world);
    await query('ALTER TABLE sessions DROP CONSTRAINT sessions_source_known');
    onTestFinished(async () => {
      await query('DELETE FROM sessions WHERE id = $1', [sessionId]);
      await query(
        `ALTER TABLE sessions ADD CONSTRAINT sessions_source_known CHECK (source IN ('server', 'browser', 'public', 'preview'))`,
      );
    });
    await query(`UPDATE sessions SET source = 'preview' WHERE id = $1`, [sessionId]);
    expect(await total(world.projectId)).toEqual([0, 0]);
    await rollUpAll(service.database, Date.now() + 1);
    expect(await total(world.projectId)).toEqual([0, 0]);
  });

  test('sessions are deleted only when they are counted', async () => {
    const world = await createWorld(service);
    const headers = { Authorization: `Bearer ${world.key}` };
    await rollUpAll(service.database);
    const { sessionId } = await launched(service, world);
    await service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
    const retain = () =>
      new Retention({ database: service.database, log }, 1).run(new Date(Date.now() + 3 * day), 60_000);
    await retain();
    const left = () => query('SELECT FROM sessions WHERE id = $1', [sessionId]);
    expect(await left()).toHaveLength(1);
    await rollUpAll(service.database, Date.now() + 1);
    await retain();
    expect(await left()).toHaveLength(0);
    expect(await total(world.projectId)).toEqual([1, 0]);
  });

  test('is exact at every moment while sessions are minted, connected, reported, ended and deleted', async () => {
    await query('CREATE TABLE deleted_sessions (LIKE sessions)');
    await query(`CREATE FUNCTION keep_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO deleted_sessions SELECT OLD.*; RETURN OLD; END $$`);
    await query('CREATE TRIGGER keep BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION keep_deleted()');
    onTestFinished(async () => {
      await query('DROP TRIGGER keep ON sessions');
      await query('DROP FUNCTION keep_deleted');
      await query('DROP TABLE deleted_sessions');
    });
    const world = await createWorld(service);
    const everywhere = usageBySessions.replace(
      'FROM sessions s',
      `FROM (SELECT * FROM sessions UNION ALL SELECT * FROM deleted_sessions) s`,
    );
    const compare = () =>
      service.database.transaction(async (tx) => {
        await tx.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ' });
        const wanted = (await tx.query<{ projectId: string; sessions: number }>({ text: everywhere })).filter(
          ({ projectId }) => projectId === world.projectId,
        );
        const bounds = [allDays.from, allDays.to, null, '', ...Object.values(usageBounds)];
        const rows = await tx.query<{ day: string | null }>(select, [world.projectId, ...bounds]);
        const shown = rows.filter(({ day }) => day !== null);
        const isCounting = false;
        expect(shown).toEqual(wanted.map(({ projectId: _, ...one }) => ({ ...one, isCounting })));
        const minted = wanted.reduce((sum, { sessions }) => sum + sessions, 0);
        const values = [world.projectId, world.experienceId, '', 1_000_000];
        expect(await tx.query(listRevisions, values)).toMatchObject([{ revision: 1, sessions: minted }]);
        return wanted;
      });
    let isRunning = true;
    const waiting: Launch[] = [];
    const live = async (n: number) => {
      while (isRunning) {
        const launch = await launched(service, world);
        if (n % 3 === 0) waiting.push(launch);
        const chosen = n % 3 === 1 ? (waiting.shift() ?? launch) : launch;
        if (n % 3 === 0) continue;
        const { sessionId } = chosen;
        await connect(service, chosen);
        await query(
          `UPDATE active_sessions SET started_at = started_at - interval '9 seconds' WHERE session_id = $1`,
          [sessionId],
        );
        await report(service, [{ sessionId, seconds: n }]);
        if (n % 2 === 0) continue;
        const [row] = await query<{ id: string }>('SELECT id FROM sessions WHERE id = $1', [sessionId]);
        if (row !== undefined)
          await service.call({
            method: 'POST',
            path: `/v1/sessions/${sessionId}/end`,
            headers: { Authorization: `Bearer ${world.key}` },
          });
      }
    };
    const repeat = async (work: () => Promise<unknown>) => {
      while (isRunning) await work();
    };
    const workers = [
      ...Array.from({ length: 6 }, (_, n) => live(n)),
      // Rolls up to the newest id, and beyond it.
      repeat(() => rollUpUsage(service.database, new Date(Date.now() + rollUpAfterMs))),
      repeat(() => rollUpUsage(service.database, new Date(Date.now() + rollUpAfterMs - 50))),
      repeat(() =>
        new Retention({ database: service.database, log }, 1).run(new Date(Date.now() + 3 * day), 50),
      ),
    ];
    try {
      // A long transaction of another test delays the roll-up, and with it the deletion.
      const isNoneDeleted = async () => (await query('SELECT FROM deleted_sessions LIMIT 1')).length === 0;
      for (let n = 0; n < 60 || (await isNoneDeleted()); n++) await compare();
    } finally {
      isRunning = false;
      await Promise.all(workers);
    }
    await rollUpAll(service.database, Date.now() + 1);
    const [row] = await compare();
    expect(row).toBeDefined();
    expect(await query('SELECT FROM deleted_sessions LIMIT 1')).toHaveLength(1);
    // Everything was counted by now, apart from sessions that are still active.
    expect(await query('SELECT FROM usage_days WHERE project_id = $1', [world.projectId])).not.toEqual([]);
  });

  test('mints with a key that is replayed count once', async () => {
    const world = await createWorld(service);
    const body = { experienceId: world.experienceId };
    for (let n = 0; n < 3; n++) {
      await rollUpAll(service.database, Date.now() + 60_000);
      await mintFromServer(service, world.key, body, { 'Idempotency-Key': 'once' });
    }
    expect(await total(world.projectId)).toEqual([1, 0]);
  });
});

onPostgres('a roll-up that meets the lock of a connect tries again in the same round', async () => {
  await rollUpUsage(service.database);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let connecting: Promise<void> | undefined;
  await new Promise<void>((locked) => {
    connecting = service.database.transaction(async (tx) => {
      await tx.query({ text: 'SELECT FROM usage_progress WHERE is_only FOR SHARE' });
      locked();
      await released;
    });
  });
  const results: unknown[] = [];
  const database: typeof service.database = Object.create(service.database, {
    query: {
      value: async (...call: Parameters<typeof service.database.query>) => {
        const rows = await service.database.query<{ more: boolean | null }>(...call);
        results.push(rows[0]!.more);
        release();
        await connecting;
        return rows;
      },
    },
  });
  await rollUpUsage(database);
  expect(results[0]).toBeNull();
  expect(results.length).toBeGreaterThan(1);
});
