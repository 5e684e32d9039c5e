import { connect, type Launch, launched, leave } from '@session-launch/testing/lifecycle.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { RecorderOptions } from '../../src/recording/recorder.ts';
import {
  type Connected,
  change,
  type Ended,
  encodeChanges,
  SessionChanges,
} from '../../src/sessions/session-changes.ts';
import type { Database } from '../../src/store/database.ts';
import { useService } from '../harness/service.ts';
import { useSessionLives } from '../harness/session-lives.ts';

const service = useService();
const lives = useSessionLives(service);
const { query, read, pass } = lives;
let world: World;
beforeAll(() => {
  world = lives.world;
});

const limited = (limits: object) => createWorld(service, { project: { limits } });
const minted = (count: number, own: World) =>
  Promise.all(Array.from({ length: count }, () => launched(service, own)));

/** A database whose statements of the recorder pass through `send`; the index counts these statements. */
function intercepted(send: (write: () => Promise<unknown[]>, n: number) => Promise<unknown[]>): Database {
  let sent = 0;
  return Object.create(service.database, {
    query: {
      value: (...call: Parameters<Database['query']>) => {
        const write = () => service.database.query(...call);
        return call[1].name === 'change_sessions' ? send(write, sent++) : write();
      },
    },
  }) as Database;
}

/** Collects what is submitted in one tick into one batch. */
function recorderOf(database: Database = service.database, options: RecorderOptions = {}) {
  const batches: number[] = [];
  const changes = new SessionChanges(database, {
    startAt: 1_000,
    onBatch: (size) => batches.push(size),
    ...options,
  });
  const connecting = ({ sessionId }: Launch, own = world, runtimeId = 'rt_test', client?: string) =>
    changes.connect({ sessionId, projectId: own.projectId, runtimeId, client });
  const ending = (
    { sessionId }: Launch,
    own = world,
    reason: 'api_request' | 'client_left' = 'api_request',
  ) => changes.end({ sessionId, projectId: own.projectId, reason });
  return { changes, batches, connecting, ending };
}

const connected = { runtimeId: 'rt_test', client: undefined };
const outcomes = (all: (Connected | Ended)[]) => all.map(({ outcome }) => outcome);
const countOf = async (own: World) =>
  (
    await query<{ active: number; live: number }>(
      `SELECT (SELECT active FROM active_counts WHERE project_id = $1),
              (SELECT count(*)::integer FROM active_sessions WHERE project_id = $1) AS live`,
      [own.projectId],
    )
  )[0];

/** Every counter equals the number of active sessions after every test. */
afterEach(async () => {
  const wrong = `SELECT project_id FROM active_counts c
                  WHERE active <> (SELECT count(*) FROM active_sessions a WHERE a.project_id = c.project_id)`;
  expect(await query(wrong)).toEqual([]);
});

describe('a batch', () => {
  test('gives each caller its own result', async () => {
    const [fresh, connected, ended, left] = await minted(4, world);
    const { connecting, ending, batches } = recorderOf();
    await Promise.all([connecting(connected!), ending(ended!)]);
    const foreign = await createWorld(service);
    const all = await Promise.all([
      connecting(fresh!, world, 'rt_fresh', '192.0.2.7'),
      connecting(connected!),
      connecting(ended!),
      connecting({ sessionId: 'ses_unknown', sessionToken: '' }),
      connecting(left!, foreign),
      ending(connected!),
      ending(ended!),
      ending({ sessionId: 'ses_unknown', sessionToken: '' }),
      ending(left!, foreign),
      ending(left!, world, 'client_left'),
    ]);
    expect(batches).toEqual([2, 10]);
    expect(outcomes(all)).toEqual([
      'active',
      'connected',
      'ended',
      'unknown',
      'unknown',
      'ended_now',
      'ended_before',
      'unknown',
      'unknown',
      'ended_now',
    ]);
    expect(all[0]).toMatchObject({
      session: { id: fresh!.sessionId, runtime_id: 'rt_fresh', end_reason: null },
    });
    expect(all[5]).toMatchObject({ session: { id: connected!.sessionId, end_reason: 'api_request' } });
    expect(all[6]).toMatchObject({ session: { id: ended!.sessionId, end_reason: 'api_request' }, added: 0 });
    expect(all[9]).toMatchObject({ session: { id: left!.sessionId, end_reason: 'client_left', seconds: 0 } });
    expect(await read(fresh!.sessionId)).toMatchObject({ status: 'active' });
  });

  test('reaches the limit in the order of arrival, and an end makes room for the connects after it', async () => {
    const own = await limited({ concurrentSessions: 3 });
    const [first, ...others] = await minted(8, own);
    const { connecting, ending, batches } = recorderOf();
    expect((await connecting(first!, own)).outcome).toBe('active');
    const [a, b, c, d, e, f, g] = others.toReversed();
    const all = await Promise.all([
      connecting(a!, own),
      connecting(b!, own),
      connecting(c!, own),
      ending(first!, own),
      connecting(d!, own),
      connecting(e!, own),
      ending(b!, own),
      // Refused before: there is room now.
      connecting(c!, own),
      connecting(f!, own),
      // A session that never connected makes no room.
      ending(f!, own),
      connecting(g!, own),
    ]);
    expect(batches).toEqual([1, 11]);
    expect(outcomes(all)).toEqual([
      'active',
      'active',
      'limit',
      'ended_now',
      'active',
      'limit',
      'ended_now',
      'active',
      'limit',
      'ended_now',
      'limit',
    ]);
    expect(await countOf(own)).toEqual({ active: 3, live: 3 });
  });

  test('reaches the limit of a client network in the order of arrival; other networks and projects have their own', async () => {
    const own = await limited({ concurrentSessionsPerClient: 2 });
    const other = await limited({ concurrentSessionsPerClient: 1 });
    const [first, ...launches] = await minted(9, own);
    const foreign = await minted(2, other);
    const { connecting, ending } = recorderOf();
    await connecting(first!, own, 'rt', '192.0.2.1');
    const at = (n: number, client?: string) => connecting(launches[n]!, own, 'rt', client);
    const all = await Promise.all([
      at(0, '192.0.2.1'),
      at(1, '192.0.2.1'),
      at(2, '192.0.2.2'),
      connecting(foreign[0]!, other, 'rt', '192.0.2.1'),
      ending(first!, own),
      at(3, '192.0.2.1'),
      at(4, '192.0.2.1'),
      ending(launches[3]!, own),
      at(5, '192.0.2.1'),
      at(6),
      at(7),
      connecting(foreign[1]!, other, 'rt', '192.0.2.1'),
    ]);
    expect(outcomes(all)).toEqual([
      'active',
      'client_limit',
      'active',
      'active',
      'ended_now',
      'active',
      'client_limit',
      'ended_now',
      'active',
      'active',
      'active',
      'client_limit',
    ]);
    expect(await countOf(own)).toMatchObject({ live: 5 });
  });

  test('with several changes of one session gives what the same calls give one after the other', async () => {
    const [twice, both, never] = await minted(3, world);
    const { connecting, ending } = recorderOf();
    const all = await Promise.all([
      connecting(twice!, world, 'rt_one'),
      connecting(twice!, world, 'rt_two'),
      connecting(both!),
      ending(both!, world, 'client_left'),
      ending(both!),
      connecting(both!),
      ending(never!),
      connecting(never!),
    ]);
    expect(outcomes(all)).toEqual([
      'active',
      'connected',
      'active',
      'ended_now',
      'ended_before',
      'ended',
      'ended_now',
      'ended',
    ]);
    expect(all[0]).toMatchObject({ session: { runtime_id: 'rt_one' } });
    expect(all[2]).toMatchObject({ session: { ended_at: null } });
    expect(all[4]).toMatchObject({ session: { end_reason: 'client_left', seconds: 0 } });
    expect(await read(both!.sessionId)).toMatchObject({ status: 'ended', endReason: 'client_left' });
    expect(await read(never!.sessionId)).not.toHaveProperty('startedAt');
    expect(await query('SELECT FROM active_sessions WHERE session_id = $1', [both!.sessionId])).toEqual([]);
  });

  test('meters each session that it ends by its own reports', async () => {
    const [reported, waiting, silent] = await minted(3, world);
    const { connecting, ending } = recorderOf();
    await Promise.all([reported!, waiting!, silent!].map((one) => connecting(one)));
    for (const { sessionId } of [reported!, waiting!, silent!]) await pass(sessionId, 100);
    const update =
      'UPDATE active_sessions SET seconds = $2, waiting = $3, reported_at = now() WHERE session_id = $1';
    await query(update, [reported!.sessionId, 40, false]);
    await query(update, [waiting!.sessionId, 50, true]);
    await pass(reported!.sessionId, 2);
    await pass(waiting!.sessionId, 2);
    const all = await Promise.all([reported!, waiting!, silent!].map((one) => ending(one)));
    // At most one report interval is added to the last report. The statements in between take less than three seconds.
    expect(all.map((one) => 'added' in one && one.added)).toEqual([expect.any(Number), 0, 5]);
    expect([2, 3, 4, 5]).toContain((all[0] as { added: number }).added);
    expect(all.map((one) => 'session' in one && one.session.seconds)).toEqual([
      40 + (all[0] as { added: number }).added,
      50,
      5,
    ]);
  });

  test('of two projects updates each counter once for its connects and once for its ends', async () => {
    const worlds = await Promise.all([
      limited({ concurrentSessions: 9 }),
      limited({ concurrentSessions: 9 }),
    ]);
    const launches = (await Promise.all(worlds.map((own) => minted(6, own)))).map((some, i) =>
      some.map(({ sessionId }) => ({ sessionId, projectId: worlds[i]!.projectId })),
    );
    const { changes } = recorderOf();
    // Creates the counters.
    for (const some of launches) await changes.connect({ ...some[5]!, runtimeId: 'rt', client: undefined });
    const batch = encodeChanges([
      ...launches.flatMap((some) => some.slice(0, 5).map((one, n) => ({ ...one, ...connected, attempt: n }))),
      ...launches.flatMap((some) =>
        some.slice(0, 4).map((one) => ({ ...one, reason: 'api_request' as const })),
      ),
    ]);
    const updates = await service.database.transaction(async (tx) => {
      const text = `SELECT n_tup_upd::integer AS count FROM pg_stat_xact_user_tables WHERE relname = 'active_counts'`;
      const count = async () => (await tx.query<{ count: number }>({ text }))[0]!.count;
      const before = await count();
      await tx.query(change, [...batch, false, null]);
      return (await count()) - before;
    });
    expect(updates).toBe(4);
    for (const own of worlds) expect(await countOf(own)).toEqual({ active: 2, live: 2 });
  });

  test('whose changes the database rejects for one project stores those of the others', async () => {
    const [own, failing] = [
      await limited({ concurrentSessions: 5 }),
      await limited({ concurrentSessions: 5 }),
    ];
    // The counter of this project cannot grow.
    await query('INSERT INTO active_counts VALUES ($1, 0) ON CONFLICT DO NOTHING', [failing.projectId]);
    await query(
      `ALTER TABLE active_counts ADD CONSTRAINT refused CHECK (project_id <> '${failing.projectId}' OR active < 1)`,
    );
    const accept = () => query('ALTER TABLE active_counts DROP CONSTRAINT IF EXISTS refused');
    onTestFinished(async () => void (await accept()));
    const { connecting, batches } = recorderOf();
    const launches = await Promise.all([own, failing].map((one) => minted(2, one)));
    const settled = await Promise.allSettled([
      connecting(launches[0]![0]!, own),
      connecting(launches[1]![0]!, failing),
      connecting(launches[0]![1]!, own),
    ]);
    expect(batches).toEqual([3]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await countOf(own)).toEqual({ active: 2, live: 2 });
    await accept();
    expect((await connecting(launches[1]![0]!, failing)).outcome).toBe('active');
  });
});

describe('a batch whose result was lost', () => {
  const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

  /** Loses the result of the first batch, before or after it was committed. */
  const losing = (when: 'before' | 'after') =>
    recorderOf(
      intercepted(async (write, n) => {
        if (n === 0 && when === 'before') throw lost();
        const rows = await write();
        if (n === 0) throw lost();
        return rows;
      }),
    );

  test.each(['before', 'after'] as const)(
    '%s the commit is sent again, and each connect is stored once',
    async (when) => {
      const own = await limited({ concurrentSessions: 3 });
      const [a, b, c, d] = await minted(4, own);
      const { connecting } = losing(when);
      const all = await Promise.all([
        connecting(a!, own),
        // Of the same runtime: only the first connect has started the session.
        connecting(a!, own),
        connecting(b!, own),
        connecting(c!, own),
        connecting(d!, own),
      ]);
      expect(outcomes(all)).toEqual(['active', 'connected', 'active', 'active', 'limit']);
      expect(all[0]).toMatchObject({ session: { id: a!.sessionId, runtime_id: 'rt_test' } });
      expect(await countOf(own)).toEqual({ active: 3, live: 3 });
      expect((await connecting(a!, own)).outcome).toBe('connected');
    },
  );

  test.each(['before', 'after'] as const)(
    '%s the commit is sent again, and each end is stored once',
    async (when) => {
      const [live, never] = await minted(2, world);
      await recorderOf().connecting(live!);
      await pass(live!.sessionId, 100);
      const { ending } = losing(when);
      const all = await Promise.all([ending(live!), ending(never!), ending(live!, world, 'client_left')]);
      for (const one of all) expect(one).toMatchObject({ session: { end_reason: 'api_request' } });
      expect(await read(live!.sessionId)).toMatchObject({ status: 'ended', usage: { seconds: 5 } });
    },
  );

  test('does not take the connect of another caller for its own', async () => {
    const [launch] = await minted(1, world);
    const other = recorderOf();
    const { connecting } = recorderOf(
      intercepted(async (write, n) => {
        if (n > 0) return write();
        await other.connecting(launch!);
        throw lost();
      }),
    );
    expect((await connecting(launch!)).outcome).toBe('connected');
  });
});

describe('a batch that reaches the statement timeout', () => {
  const timedOut = () =>
    Object.assign(new Error('canceling statement due to statement timeout'), {
      code: '57014',
      severity: 'ERROR',
    });

  test('is sent again project by project, and only the changes of a project that times out again give 503', async () => {
    const [slow, free] = [await limited({ concurrentSessions: 9 }), await limited({ concurrentSessions: 9 })];
    const [a, b, c] = [...(await minted(2, slow)), ...(await minted(1, free))];
    const { connecting } = recorderOf(
      intercepted(async (write, n) => {
        if (n < 2) throw timedOut();
        return write();
      }),
    );
    const settled = await Promise.allSettled([
      connecting(a!, slow),
      connecting(c!, free),
      connecting(b!, slow),
    ]);
    expect(settled).toMatchObject([
      { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
      { status: 'fulfilled', value: { outcome: 'active' } },
      { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
    ]);
  });

  test('is not sent again once the time for retries has passed', async () => {
    const worlds = await Promise.all([limited({}), limited({})]);
    const launches = await Promise.all(worlds.map((own) => minted(1, own)));
    let sent = 0;
    const database = intercepted(async () => {
      sent++;
      throw timedOut();
    });
    const { connecting } = recorderOf(database, { retryForMs: 0 });
    const settled = await Promise.allSettled(worlds.map((own, i) => connecting(launches[i]![0]!, own)));
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toBe(1);
  });
});

test('connects and ends by requests that arrive together share one statement', async () => {
  const launches = await minted(10, world);
  const sent = vi.spyOn(service.database, 'query');
  onTestFinished(() => sent.mockRestore());
  const writes = () => sent.mock.calls.filter(([, { name }]) => name === 'change_sessions').length;
  const connected = await Promise.all(launches.map((launch) => connect(service, launch)));
  expect(connected.map(({ status }) => status)).toEqual(launches.map(() => 200));
  expect(writes()).toBeLessThan(launches.length);
  const left = await Promise.all(launches.map((one) => leave(service, one.sessionId, one.sessionToken)));
  expect(left.map(({ status }) => status)).toEqual(launches.map(() => 204));
  expect(writes()).toBeLessThan(2 * launches.length);
});

/** The embedded engine runs one statement at a time. */
const withOtherProcesses =
  inject('engine') === 'postgres' ? describe : (_name: string, _tests: () => void) => undefined;

withOtherProcesses('while another transaction holds a lock', () => {
  /** Holds the counter of a project while `work` runs. */
  const holding = (own: World, work: () => Promise<void>) =>
    onDatabase(service.databaseUrl!, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT FROM active_counts WHERE project_id = $1 FOR UPDATE', [own.projectId]);
      try {
        await work();
      } finally {
        await client.query('ROLLBACK');
      }
    });

  test('of the counter of one project, the changes of others in the batch are stored, and its own give 503', async () => {
    const [stuck, free] = [
      await limited({ concurrentSessions: 9 }),
      await limited({ concurrentSessions: 9 }),
    ];
    const [a, b, c] = [...(await minted(2, stuck)), ...(await minted(1, free))];
    const { connecting, ending, batches } = recorderOf();
    await connecting(a!, stuck);
    await holding(stuck, async () => {
      const settled = await Promise.allSettled([
        connecting(b!, stuck),
        connecting(c!, free),
        ending(a!, stuck),
      ]);
      expect(settled).toMatchObject([
        { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
        { status: 'fulfilled', value: { outcome: 'active' } },
        { status: 'rejected', reason: { code: 'UNAVAILABLE' } },
      ]);
    });
    expect(batches).toEqual([1, 3]);
    expect(outcomes(await Promise.all([connecting(b!, stuck), ending(a!, stuck)]))).toEqual([
      'active',
      'ended_now',
    ]);
  });

  test('of the counter of one project, no process refuses the changes of others', async () => {
    // The counters are locked in the order of the ids: the others come before that of `stuck`.
    const worlds = await Promise.all(Array.from({ length: 3 }, () => limited({ concurrentSessions: 99 })));
    const [one, two, stuck] = worlds.sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
    const rounds = 2;
    const processes = await Promise.all(
      Array.from({ length: 3 }, async () => ({
        recorder: recorderOf(),
        launches: await Promise.all(worlds.map((own) => minted(rounds, own))),
      })),
    );
    await recorderOf().connecting((await minted(1, stuck!))[0]!, stuck);
    const results: [World, string][] = [];
    await holding(stuck!, async () => {
      await Promise.all(
        processes.map(async ({ recorder, launches }) => {
          for (let round = 0; round < rounds; round++)
            await Promise.all(
              worlds.map(async (own, i) => {
                const outcome = await recorder.connecting(launches[i]![round]!, own).then(
                  (connected) => connected.outcome,
                  ({ code }) => code,
                );
                results.push([own, outcome]);
              }),
            );
        }),
      );
    });
    const of = (own: World) => results.filter(([world]) => world === own).map(([, outcome]) => outcome);
    for (const own of [one!, two!]) expect(of(own)).toEqual(Array(3 * rounds).fill('active'));
    expect(of(stuck!)).toEqual(Array(3 * rounds).fill('UNAVAILABLE'));
  });

  test.each(['connect', 'end'])(
    'a batch does not %s a session that is committed after it took its locks',
    async (kind) => {
      const own = await limited({ concurrentSessions: 9 });
      const [first, pattern] = await minted(2, own);
      const { connecting } = recorderOf();
      await connecting((await minted(1, own))[0]!, own);
      const late = `${pattern!.sessionId.slice(0, -1)}${pattern!.sessionId.endsWith('0') ? '1' : '0'}`;
      const { projectId } = own;
      const batch = encodeChanges([
        { sessionId: first!.sessionId, projectId, ...connected, attempt: 1 },
        kind === 'connect'
          ? { sessionId: late, projectId, ...connected, attempt: 2 }
          : { sessionId: late, projectId, reason: 'api_request' },
      ]);
      let changed: Promise<unknown> | undefined;
      await holding(own, async () => {
        changed = service.database
          .query('everyday', change, [...batch, false, 9_000])
          .catch((error) => error);
        const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%change_sessions%'`;
        await expect.poll(() => query(waits)).toHaveLength(1);
        await query(
          `INSERT INTO sessions SELECT (json_populate_record(s, json_build_object('id', $2::text))).* FROM sessions s WHERE s.id = $1`,
          [pattern!.sessionId, late],
        );
      });
      expect(await changed).toMatchObject({ code: '40001', message: `session ${late} was not locked` });
    },
  );

  test('connects of active sessions and ends of ended ones do not wait for it', async () => {
    const own = await limited({ concurrentSessions: 9 });
    const [live, over] = await minted(2, own);
    const { connecting, ending } = recorderOf();
    await Promise.all([connecting(live!, own), ending(over!, own)]);
    await holding(own, async () => {
      const all = await Promise.all([connecting(live!, own), ending(over!, own), connecting(over!, own)]);
      expect(outcomes(all)).toEqual(['connected', 'ended_before', 'ended']);
    });
  });

  test('beside the functions of the previous version, many concurrent changes of two projects never deadlock and keep the limit', async () => {
    const worlds = await Promise.all([
      limited({ concurrentSessions: 20 }),
      limited({ concurrentSessions: 20 }),
    ]);
    const launches = await Promise.all(worlds.map((own) => minted(40, own)));
    const both = [recorderOf(service.database, { startAt: 8 }), recorderOf(service.database, { startAt: 8 })];
    const old = (text: string, values: unknown[]) => service.database.query('admin', { text }, values);
    const work = launches.flatMap((some, i) =>
      some.map(async (launch, n) => {
        const own = worlds[i]!;
        const { connecting, ending } = both[n % 2]!;
        if (n % 4 === 3)
          await old('SELECT outcome FROM connect_client($1, $2, NULL)', [launch.sessionId, 'rt_old']);
        else await connecting(launch, own);
        if (n % 5 === 4)
          await old('SELECT ended_now FROM end_session($1, $2, $3)', [
            own.projectId,
            launch.sessionId,
            'api_request',
          ]);
        else if (n % 5 === 3)
          await old(`SELECT kind FROM report_sessions('rt_old', $1)`, [
            JSON.stringify([{ sessionId: launch.sessionId, seconds: 0, ended: 'client_ended' }]),
          ]);
        else if (n % 5 < 2) await ending(launch, own);
      }),
    );
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'rejected')).toEqual([]);
    for (const own of worlds) expect((await countOf(own))!.live).toBeLessThanOrEqual(20);
  });
});
