import type { Status } from '@session-launch/contract/session';
import { connect, launched, leave, report } from '@session-launch/testing/lifecycle.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { createWorld, expectError, sessionsOf } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { reportSessions } from '../../src/sessions/lifecycle.ts';
import type { Database, Transaction } from '../../src/store/database.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import { useService } from '../harness/service.ts';
import { lasted, type SessionRecord, useSessionLives } from '../harness/session-lives.ts';

const service = useService();
const lives = useSessionLives(service);
const { active, endByApi, pass, query, read, said } = lives;

describe('reports', () => {
  test('update usage, which never decreases', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 100);
    for (const [seconds, shown] of [
      [4.9, 4],
      [10, 10],
      [10, 10],
      [7, 10],
      [0, 10],
      [-1, 10],
      [35.99, 35],
    ] as const) {
      expect(await said([{ sessionId, seconds }])).toEqual([]);
      expect((await read(sessionId)).usage).toEqual({ seconds: shown });
    }
  });

  test('with absurd seconds are limited to the elapsed time', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 50);
    for (const seconds of [1e308, -1e308, 2 ** 53, 2 ** 31, 1e9]) await said([{ sessionId, seconds }]);
    const { usage, startedAt } = await read(sessionId);
    expect(usage.seconds).toBeGreaterThanOrEqual(50);
    expect(usage.seconds).toBeLessThanOrEqual((Date.now() - Date.parse(startedAt)) / 1000);
    for (const seconds of [null, '5', true, [5], undefined])
      expectError(await report(service, [{ sessionId, seconds } as never]), 400, 'INVALID_REQUEST');
  });

  test('end a session with a reason; repeated and later reports change nothing', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 60);
    await said([{ sessionId, seconds: 41 }]);
    const last = { sessionId, seconds: 42.7, ended: 'idle_timeout' };
    expect(await said([last])).toEqual([]);
    const record = await read(sessionId);
    expect(record).toMatchObject({ status: 'ended', endReason: 'idle_timeout', usage: { seconds: 42 } });
    expect(lasted(record)).toBeGreaterThanOrEqual(60);
    expect(await said([last])).toEqual([]);
    expect(await said([{ sessionId, seconds: 55, ended: 'client_ended' }])).toEqual([
      { sessionId, reason: 'idle_timeout' },
    ]);
    expect(await said([{ sessionId, seconds: 41 }])).toEqual([{ sessionId, reason: 'idle_timeout' }]);
    expect(await read(sessionId)).toEqual(record);
  });

  test('after an end by API change nothing, and are answered with the ended session', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 30);
    await said([{ sessionId, seconds: 20 }]);
    await pass(sessionId, 3);
    const ended = (await endByApi(sessionId)).json;
    // Three seconds since the last report, plus the duration of the requests.
    expect(ended.usage.seconds).toBeGreaterThanOrEqual(23);
    expect(ended.usage.seconds).toBeLessThanOrEqual(Math.floor(lasted(ended)));
    for (let n = 0; n < 3; n++)
      expect(await said([{ sessionId, seconds: 33 }])).toEqual([{ sessionId, reason: 'api_request' }]);
    expect(await said([{ sessionId, seconds: 33, ended: 'client_lost' }])).toEqual([
      { sessionId, reason: 'api_request' },
    ]);
    expect(await read(sessionId)).toEqual(ended);
  });

  test('for foreign, unconnected and unknown sessions change nothing', async () => {
    const [foreign, waiting] = [await active('rt_other'), await launched(service, lives.world)];
    await pass(foreign.sessionId, 30);
    const before = [await read(foreign.sessionId), await read(waiting.sessionId)];
    const ids = [foreign.sessionId, waiting.sessionId, 'ses_unknown', 'nonsense', '', 'x'.repeat(10_000)];
    for (const ended of [{}, { ended: 'client_ended' }])
      expect(await said(ids.map((sessionId) => ({ sessionId, seconds: 5, ...ended })))).toEqual([]);
    expect([await read(foreign.sessionId), await read(waiting.sessionId)]).toEqual(before);
    await endByApi(foreign.sessionId);
    expect(await said([{ sessionId: foreign.sessionId, seconds: 5 }])).toEqual([]);
  });

  test('that name a session twice count once, and end it if one of them does', async () => {
    const { sessionId } = await active();
    await pass(sessionId, 30);
    await said([
      { sessionId, seconds: 12, ended: 'max_duration' },
      { sessionId, seconds: 9 },
    ]);
    expect(await read(sessionId)).toMatchObject({ endReason: 'max_duration', usage: { seconds: 12 } });
  });

  test('of many sessions use one statement', async () => {
    const launches = await Promise.all(Array.from({ length: 20 }, () => active('rt_one')));
    let statements = 0;
    const database = Object.create(service.database, {
      query: {
        value: (...call: Parameters<Database['query']>) => {
          statements++;
          return service.database.query(...call);
        },
      },
    }) as Database;
    const sessions = launches.map(({ sessionId }, n) => ({
      sessionId,
      seconds: 1,
      ...(n % 2 === 0 ? { ended: 'client_ended' as const } : {}),
    }));
    await reportSessions({ ...lives.lifecycle, database }, { runtimeId: 'rt_one', sessions }, 'req_1');
    expect(statements).toBe(1);
    expect((await read(sessions[0]!.sessionId)).status).toBe('ended');
  });

  test('of many sessions, concurrent, in any order and repeated, agree', async () => {
    const launches = await Promise.all(Array.from({ length: 40 }, () => active('rt_many')));
    for (const { sessionId } of launches) await pass(sessionId, 60);
    const all = launches.map(({ sessionId }, n) => ({ sessionId, seconds: n }));
    const shuffled = all.toSorted((a, b) => ((a.seconds * 7) % 40) - ((b.seconds * 7) % 40));
    const over = all.slice(0, 20).map((one) => ({ ...one, ended: 'server_shutdown' }));
    await Promise.all(
      [all, shuffled, all.toReversed(), over, over.toReversed(), shuffled].map((one) => said(one, 'rt_many')),
    );
    const { sessions } = (
      await service.admin({ path: `/admin/projects/${lives.world.projectId}/sessions?limit=500` })
    ).json as { sessions: SessionRecord[] };
    for (const { sessionId, seconds } of all) {
      const found = sessions.find((one) => one.sessionId === sessionId);
      expect(found).toMatchObject({ usage: { seconds }, status: seconds < 20 ? 'ended' : 'active' });
    }
  });

  test('without sessions, or with fields of a later version, are accepted', async () => {
    expect(await said([])).toEqual([]);
    const body = { runtimeId: 'rt', sessions: [{ sessionId: 'ses_1', seconds: 1, mood: 'good' }], load: 0.5 };
    expect((await service.runtime({ method: 'POST', path: '/runtime/v1/reports', body })).status).toBe(200);
  });
});

describe('an end', () => {
  test('counts once when all kinds of it happen at the same time', async () => {
    const { sessionId, sessionToken } = await active();
    await pass(sessionId, 120);
    await Promise.all([
      endByApi(sessionId),
      leave(service, sessionId, sessionToken),
      said([{ sessionId, seconds: 119, ended: 'idle_timeout' }]),
      endByApi(sessionId),
      leave(service, sessionId, sessionToken),
    ]);
    const record = await read(sessionId);
    expect(['api_request', 'client_left', 'idle_timeout']).toContain(record.endReason);
    expect(record.usage.seconds).toBeLessThanOrEqual(lasted(record));
    await endByApi(sessionId);
    await leave(service, sessionId, sessionToken);
    expect(await read(sessionId)).toEqual(record);
    expect(await query('SELECT FROM active_sessions WHERE session_id = $1', [sessionId])).toEqual([]);
  });

  test('that races with a connect leaves no active row', async () => {
    for (let n = 0; n < 20; n++) {
      const launch = await launched(service, lives.world);
      const [connected] = await Promise.all([connect(service, launch), endByApi(launch.sessionId)]);
      expect([200, 410]).toContain(connected.status);
      expect(await read(launch.sessionId)).toMatchObject({ status: 'ended', endReason: 'api_request' });
      expect(await query('SELECT FROM active_sessions WHERE session_id = $1', [launch.sessionId])).toEqual(
        [],
      );
    }
  });

  test('updates the counters: they equal the number of active sessions', async () => {
    const [counted] = await query<{ active: number }>(
      'SELECT coalesce(sum(active), 0)::integer AS active FROM active_counts WHERE project_id = $1',
      [lives.world.projectId],
    );
    const sessions = await sessionsOf(service, lives.world.projectId);
    expect(counted?.active).toBe(sessions.filter(({ status }) => status === 'active').length);
  });
});

test('a session without a connection in time is expired, and can still be ended', async () => {
  const { sessionId, sessionToken } = await launched(service, lives.world);
  await pass(sessionId, 600);
  expect(await read(sessionId)).toMatchObject({ status: 'expired', usage: { seconds: 0 } });
  expect(await read(sessionId)).not.toHaveProperty('endedAt');
  // Its token is valid for ten more minutes: only the row has been aged.
  expect((await leave(service, sessionId, sessionToken)).status).toBe(204);
  expect(await read(sessionId)).toMatchObject({ status: 'ended', endReason: 'client_left' });
});

test('sessions can be listed by every status', async () => {
  const own = await createWorld(service);
  const [created, expired, live, over] = await Promise.all(
    Array.from({ length: 4 }, () => launched(service, own)),
  );
  await pass(expired!.sessionId, 3_600);
  for (const launch of [live!, over!]) await connect(service, launch);
  await pass(live!.sessionId, 20);
  await said([{ sessionId: live!.sessionId, seconds: 11 }]);
  await said([{ sessionId: over!.sessionId, seconds: 0, ended: 'client_ended' }]);
  const listed = async (status: Status) =>
    (
      await askAdmin(service, 'GET /admin/projects/{projectId}/sessions', {
        params: { projectId: own.projectId },
        query: { status },
      })
    ).sessions;
  for (const [status, launch] of Object.entries({ created, expired, active: live, ended: over })) {
    const found = await listed(status as Status);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ sessionId: launch?.sessionId, status });
  }
  expect((await listed('active'))[0]?.usage).toEqual({ seconds: 11 });
});

test('connects and ends are counted in the metrics', async () => {
  const before = await readMetrics(service);
  const launch = await active('rt_counted');
  expectError(await connect(service, launch), 409, 'SESSION_ALREADY_CONNECTED');
  expectError(await connect(service, { ...launch, sessionToken: 'x' }), 401, 'SESSION_TOKEN_INVALID');
  await pass(launch.sessionId, 30);
  await said([{ sessionId: launch.sessionId, seconds: 10 }], 'rt_counted');
  await said([{ sessionId: launch.sessionId, seconds: 10 }], 'rt_counted');
  const during = await readMetrics(service);
  await said([{ sessionId: launch.sessionId, seconds: 25, ended: 'client_ended' }], 'rt_counted');
  const after = await readMetrics(service);
  const added = (name: string, labels = {}) => after.total(name, labels) - before.total(name, labels);
  const connects = 'session_launch_connects_total';
  expect(added(connects, { outcome: 'active' })).toBe(1);
  expect(added(connects, { outcome: 'SESSION_ALREADY_CONNECTED' })).toBe(1);
  expect(added(connects, { outcome: 'SESSION_TOKEN_INVALID' })).toBe(1);
  expect(added('session_launch_metered_seconds_total')).toBe(25);
  const running = 'session_launch_active_sessions';
  expect(during.total(running) - before.total(running)).toBe(1);
  expect(after.total(running)).toBe(before.total(running));
  expect(added('session_launch_sessions_lost_total')).toBe(0);
});

test('functions that process many sessions are planned at each call or have a fixed plan', async () => {
  const withMode = async (mode: string) => {
    const rows = await service.database.query<{ name: string }>(
      'everyday',
      {
        text: `SELECT proname AS name FROM pg_proc WHERE 'plan_cache_mode=' || $1 = ANY (proconfig) ORDER BY 1`,
      },
      [mode],
    );
    return rows.map(({ name }) => name);
  };
  expect(await withMode('force_custom_plan')).toEqual([
    'delete_project_sessions',
    'end_lost_sessions',
    'end_silent_sessions',
    'forget_sessions',
    'report_sessions',
    'roll_up_usage',
  ]);
  expect(await withMode('force_generic_plan')).toEqual([
    'change_sessions',
    'claim_webhooks',
    'continue_webhook',
    'delete_old_deliveries',
    'delete_old_sessions',
    'expire_sessions',
    'record_launches',
    'sequence_events',
  ]);
});

test('a report reads only the sessions that it names, however many have ended', async () => {
  const live = await active('rt_reader');
  const over = await active('rt_reader');
  await report(service, [{ sessionId: over.sessionId, seconds: 0, ended: 'client_ended' }], 'rt_reader');
  const read = await takenBack(async (transaction) => {
    // As many rows as could be ended before the database analyses its tables again.
    const insert = `
      INSERT INTO sessions
      SELECT more.* FROM sessions s, generate_series(1, 300) i,
             LATERAL jsonb_populate_record(s, jsonb_build_object('id', s.id || lpad(i::text, 3, '0'))) more
       WHERE s.id = $1`;
    await transaction.query({ text: insert }, [over.sessionId]);
    const before = await fetched(transaction);
    const said = JSON.stringify([live, over].map(({ sessionId }) => ({ sessionId, seconds: 0 })));
    await transaction.query({ text: `SELECT * FROM report_sessions('rt_reader', $1)` }, [said]);
    return (await fetched(transaction)) - before;
  });
  expect(read).toBe(1);
});

/** Runs `look` in a transaction that is rolled back. */
async function takenBack<T>(look: (transaction: Transaction) => Promise<T>): Promise<T> {
  let found: { is: T } | undefined;
  const enough = new Error('taken back');
  await expect(
    service.database.transaction(async (transaction) => {
      found = { is: await look(transaction) };
      throw enough;
    }),
  ).rejects.toBe(enough);
  return found!.is;
}

/** Number of sessions that this transaction has fetched by an index. */
async function fetched(transaction: Transaction): Promise<number> {
  const text = `SELECT idx_tup_fetch::integer AS rows FROM pg_stat_xact_user_tables WHERE relname = 'sessions'`;
  const [fetched] = await transaction.query<{ rows: number }>({ text });
  return fetched!.rows;
}
