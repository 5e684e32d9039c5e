import { createHash, randomBytes } from 'node:crypto';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { createWorld, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { ApiError } from '../../src/primitives/errors.ts';
import { newId } from '../../src/primitives/ids.ts';
import { MintRecorder, type MintRecorderOptions } from '../../src/recording/mint-recorder.ts';
import type { Session } from '../../src/sessions/session.ts';
import { toRow } from '../../src/sessions/session-row.ts';
import type { Database, Statement, Workload } from '../../src/store/database.ts';
import { NeverSent } from '../../src/store/database-errors.ts';
import { useService } from '../harness/service.ts';

type Mint = Parameters<MintRecorder['record']>[0];

const service = useService();
let world: World;
beforeAll(async () => {
  world = await createWorld(service, {
    project: { limits: { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000 } },
  });
});

/** Each test uses another day and therefore another quota counter. */
let day = 0;
afterEach(() => {
  day++;
});
const today = () => new Date(Date.UTC(2031, 0, 1 + day)).toISOString().slice(0, 10);

function session(overrides: Partial<Session> = {}): Session {
  return {
    id: newId('ses'),
    projectId: world.projectId,
    experienceId: world.experienceId,
    revision: 1,
    livemode: true,
    source: 'browser',
    userId: null,
    given: {
      origin: pageOrigin,
      mode: 'conversation',
      speechInputMode: 'auto',
      speechOnly: false,
      locale: 'en',
      token: { issuer: 'https://launch.example.com', issuedAt: 1, keyId: 'k' },
    },
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 600_000),
    startedAt: null,
    seconds: 0,
    endedAt: null,
    endReason: null,
    ...overrides,
  };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const claim = (key: string, body = 'body') => ({ hash: hash(key), fingerprint: hash(body) });
const freshKey = () => randomBytes(8).toString('hex');

function counted(overrides: Partial<Session> = {}, key?: string): Mint {
  return {
    session: toRow(session(overrides)),
    quota: { projectId: world.projectId, day: today() },
    ...(key === undefined ? {} : { claim: claim(key) }),
  };
}

function uncounted(key?: string): Mint {
  return {
    session: toRow(session({ source: 'server' })),
    ...(key === undefined ? {} : { claim: claim(key) }),
  };
}

/** Writes the first mint immediately, so that the content of each batch is deterministic. */
function recorderOf(database: Database, options: MintRecorderOptions = {}): MintRecorder {
  return new MintRecorder(database, { startAt: 1, ...options });
}

async function query<Row>(text: string, values: unknown[]): Promise<Row[]> {
  return service.database.query<Row>('everyday', { name: `test_${freshKey()}`, text }, values);
}

async function stored(mints: Mint[]): Promise<string[]> {
  const ids = mints.map((mint) => mint.session!.id);
  const rows = await query<{ id: string }>('SELECT id FROM sessions WHERE id = ANY ($1::text[])', [ids]);
  return rows.map((row) => row.id).sort();
}

const idsOf = (mints: Mint[]) => mints.map((mint) => mint.session!.id).sort();

async function used(): Promise<number | undefined> {
  const text = 'SELECT used FROM daily_sessions WHERE project_id = $1 AND day = $2::date';
  return (await query<{ used: number }>(text, [world.projectId, today()]))[0]?.used;
}

/** Blocks the writes to the database while it is shut. */
class Gate {
  #open = Promise.resolve();
  #lift: () => void = () => undefined;

  shut(): void {
    this.#open = new Promise((resolve) => {
      this.#lift = resolve;
    });
  }

  lift(): void {
    this.#lift();
  }

  get opened(): Promise<void> {
    return this.#open;
  }
}

type Intercept = (send: () => Promise<unknown[]>, attempt: number) => Promise<unknown[]>;

/** The real database with a hook before every statement of some pools: for writes of mints, or for others. */
function intercepted(write: Intercept, others: Partial<Record<Workload, Intercept>> = {}): Database {
  const { database } = service;
  const intercepts: Partial<Record<Workload, Intercept>> = { recording: write, ...others };
  const attempts: Partial<Record<Workload, number>> = {};
  return {
    ...database,
    query: <Row>(lane: Workload, statement: Statement, values: unknown[]) => {
      const send = () => database.query<Row>(lane, statement, values);
      const attempt = attempts[lane] ?? 0;
      attempts[lane] = attempt + 1;
      return (intercepts[lane]?.(send, attempt) ?? send()) as Promise<Row[]>;
    },
  };
}

function gated(
  options: MintRecorderOptions = {},
  others: Partial<Record<Workload, Intercept>> = {},
): { recorder: MintRecorder; gate: Gate; batches: number[] } {
  const gate = new Gate();
  const batches: number[] = [];
  const database = intercepted(async (send) => {
    await gate.opened;
    return send();
  }, others);
  const recorder = recorderOf(database, { ...options, onBatch: (size) => batches.push(size) });
  onTestFinished(async () => {
    gate.lift();
    await recorder.drain();
  });
  return { recorder, gate, batches };
}

const connectionLost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const deadlock = () => Object.assign(new Error('deadlock detected'), { code: '40P01', severity: 'ERROR' });

describe('batching', () => {
  test('writes a single mint at once', async () => {
    const { recorder, batches } = gated();
    const mint = counted();
    const recording = recorder.record(mint);
    // Before the first await: no timer delays the write.
    expect(batches).toEqual([1]);
    expect(await recording).toEqual({ outcome: 'recorded', quota: { used: 1, limit: 1_000 } });
    expect(await stored([mint])).toEqual(idsOf([mint]));
    expect((await recorder.record(counted())).outcome).toBe('recorded');
    expect(batches).toEqual([1, 1]);
  });

  test('writes mints that arrive during a write together', async () => {
    const { recorder, gate, batches } = gated();
    gate.shut();
    const mints = Array.from({ length: 11 }, () => counted());
    const recordings = mints.map((mint) => recorder.record(mint));
    expect(recorder.queueLength).toBe(10);
    gate.lift();
    const recorded = await Promise.all(recordings);
    expect(recorded.map((r) => r.outcome)).toEqual(new Array(11).fill('recorded'));
    expect(batches).toEqual([1, 10]);
    expect(await stored(mints)).toEqual(idsOf(mints));
    expect(await used()).toBe(11);
    expect(recorder.queueLength).toBe(0);
  });

  test('writes at most the maximum batch size at a time', async () => {
    const { recorder, gate, batches } = gated({ batchLimit: 4 });
    gate.shut();
    const mints = Array.from({ length: 11 }, () => counted());
    const recordings = mints.map((mint) => recorder.record(mint));
    gate.lift();
    await Promise.all(recordings);
    expect(batches).toEqual([1, 4, 4, 2]);
    expect(await stored(mints)).toEqual(idsOf(mints));
  });

  test('returns each mint of a batch its own outcome', async () => {
    const { recorder, gate } = gated();
    const [done, other] = [counted({}, freshKey()), counted({}, freshKey())];
    await recorder.record(done);
    await recorder.record(other);
    gate.shut();
    const fresh = [counted(), counted({}, freshKey()), uncounted()];
    const recordings = [
      recorder.record(fresh[0]!),
      recorder.record({ ...counted(), claim: done.claim! }),
      recorder.record(fresh[1]!),
      recorder.record({ ...counted(), claim: { ...other.claim!, fingerprint: hash('another body') } }),
      recorder.record({ claim: claim(freshKey()) }),
      recorder.record({ claim: other.claim!, quota: { projectId: world.projectId, day: today() } }),
      recorder.record(fresh[2]!),
    ];
    gate.lift();
    const recorded = await Promise.all(recordings);
    expect(recorded.map((r) => r.outcome)).toEqual([
      'recorded',
      'replayed',
      'recorded',
      'conflict',
      'absent',
      'replayed',
      'recorded',
    ]);
    expect(recorded[1]).toMatchObject({ prior: { id: done.session!.id } });
    expect(await stored(fresh)).toEqual(idsOf(fresh));
    expect(await used()).toBe(4);
  });

  test('tells whether the earlier mint with the same key is pending or a replay', async () => {
    const { recorder, gate } = gated();
    const [made, making] = [counted({}, freshKey()), counted({}, freshKey())];
    await recorder.record(made);
    gate.shut();
    const pending = [making, { ...counted(), claim: made.claim! }].map((mint) => recorder.record(mint));
    const beside = (mint: Mint, body?: string) =>
      recorder.record({
        ...counted(),
        claim: { ...mint.claim!, ...(body === undefined ? {} : { fingerprint: hash(body) }) },
      });
    // No write proceeds while the gate is shut, so these results did not wait for a write.
    expect(await beside(making)).toEqual({ outcome: 'in_progress' });
    expect(await beside(making, 'another body')).toEqual({ outcome: 'in_progress' });
    expect(await beside(made)).toMatchObject({ outcome: 'replayed', prior: { id: made.session!.id } });
    expect(await beside(made, 'another body')).toEqual({ outcome: 'conflict' });
    gate.lift();
    expect((await Promise.all(pending)).map((recorded) => recorded.outcome)).toEqual([
      'recorded',
      'replayed',
    ]);
    expect(await used()).toBe(2);
  });

  test.each(['probing', 'everyday'] as const)(
    'reports a concurrent mint with the same key as pending, even if no connection (%s) is available to look it up',
    async (lane) => {
      const noConnection = async () => {
        throw new NeverSent(new Error('timeout exceeded when trying to connect'));
      };
      const { recorder, gate } = gated({}, { [lane]: noConnection });
      const mint = counted({}, freshKey());
      gate.shut();
      const first = recorder.record(mint);
      if (lane === 'probing')
        expect(await recorder.record({ ...counted(), claim: mint.claim! })).toEqual({
          outcome: 'in_progress',
        });
      gate.lift();
      expect((await first).outcome).toBe('recorded');
      // Replays: the launch exists, but cannot be read for the concurrent request.
      gate.shut();
      const replay = recorder.record({ ...counted(), claim: mint.claim! });
      expect(await recorder.record({ ...counted(), claim: mint.claim! })).toEqual({ outcome: 'in_progress' });
      gate.lift();
      expect((await replay).outcome).toBe('replayed');
    },
  );

  test('divides an insufficient quota in order of arrival', async () => {
    const poor = await createWorld(service, {
      project: { limits: { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 4 } },
    });
    const { recorder, gate } = gated();
    gate.shut();
    const mints = Array.from({ length: 7 }, () => ({
      session: toRow(session({ projectId: poor.projectId, experienceId: poor.experienceId })),
      quota: { projectId: poor.projectId, day: today() },
    }));
    const rich = [counted(), counted()];
    const recordings = [...mints, ...rich].map((mint) => recorder.record(mint));
    gate.lift();
    const recorded = await Promise.all(recordings);
    expect(recorded.map((r) => r.outcome)).toEqual([
      ...new Array(4).fill('recorded'),
      ...new Array(3).fill('quota_exceeded'),
      'recorded',
      'recorded',
    ]);
    expect(recorded.map((r) => 'quota' in r && r.quota?.used)).toEqual([1, 2, 3, 4, 4, 4, 4, 1, 2]);
    expect(await stored(mints)).toEqual(idsOf(mints.slice(0, 4)));
  });
});

describe('a mint that the database refuses', () => {
  const bad: [string, () => Mint][] = [
    ['of a revision that does not exist', () => counted({ revision: 99 }, freshKey())],
    ['of an experience that does not exist', () => counted({ experienceId: 'exp_nowhere' }, freshKey())],
    ['that violates a table constraint', () => counted({ source: 'window' as never }, freshKey())],
    ['without a required value', () => counted({ livemode: null as never }, freshKey())],
  ];
  test.each(bad)('%s does not affect the others in its batch', async (_, make) => {
    const { recorder, gate, batches } = gated();
    gate.shut();
    const refused = make();
    const before = Array.from({ length: 4 }, () => counted({}, freshKey()));
    const after = Array.from({ length: 4 }, () => counted());
    const first = counted();
    const recordings = [first, ...before, refused, ...after].map((mint) => recorder.record(mint));
    gate.lift();
    const settled = await Promise.allSettled(recordings);
    expect(batches).toEqual([1, 9]);
    expect(settled.map((s) => s.status)).toEqual([
      ...new Array(5).fill('fulfilled'),
      'rejected',
      ...new Array(4).fill('fulfilled'),
    ]);
    // A defect, not an outage: the error does not suggest a retry.
    expect((settled[5] as PromiseRejectedResult).reason).not.toBeInstanceOf(ApiError);
    expect(await stored([first, ...before, refused, ...after])).toEqual(idsOf([first, ...before, ...after]));
    expect(await used()).toBe(9);
    for (const mint of before) {
      const again = await recorder.record({ ...counted(), claim: mint.claim! });
      expect(again).toMatchObject({ outcome: 'replayed', prior: { id: mint.session!.id } });
    }
    // Its key is neither pending nor used.
    const corrected = { ...counted(), claim: refused.claim! };
    expect((await recorder.record(corrected)).outcome).toBe('recorded');
    expect(await used()).toBe(10);
  });

  test('alone is refused, and the next one is recorded', async () => {
    const { recorder } = gated();
    await expect(recorder.record(counted({ revision: 99 }))).rejects.toThrow();
    expect((await recorder.record(counted())).outcome).toBe('recorded');
    expect(await used()).toBe(1);
  });

  test('because its id exists leaves the existing session unchanged', async () => {
    const { recorder, gate } = gated();
    const first = counted({ userId: 'first' });
    await recorder.record(first);
    gate.shut();
    const neighbour = counted();
    const recordings = [counted(), neighbour, counted({ id: first.session!.id, userId: 'second' })].map(
      (mint) => recorder.record(mint),
    );
    gate.lift();
    const settled = await Promise.allSettled(recordings);
    expect(settled.map((s) => s.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const rows = await query('SELECT user_id FROM sessions WHERE id = $1', [first.session!.id]);
    expect(rows).toEqual([{ user_id: 'first' }]);
    expect(await used()).toBe(3);
  });
});

describe('mints that arrive in one event-loop tick', () => {
  test('share one write', async () => {
    const batches: number[] = [];
    const recorder = new MintRecorder(service.database, {
      startAt: 100,
      onBatch: (size) => batches.push(size),
    });
    const mints = Array.from({ length: 30 }, () => counted());
    await Promise.all(mints.map((mint) => recorder.record(mint)));
    expect(batches).toEqual([30]);
    expect(await stored(mints)).toEqual(idsOf(mints));
  });

  test('are written once the batch is large enough, and drain waits for the rest', async () => {
    const batches: number[] = [];
    const recorder = new MintRecorder(service.database, {
      startAt: 10,
      onBatch: (size) => batches.push(size),
    });
    const mints = Array.from({ length: 30 }, () => counted());
    for (const mint of mints) void recorder.record(mint);
    await recorder.drain();
    expect(batches).toEqual([10, 20]);
    expect(await stored(mints)).toEqual(idsOf(mints));
  });

  test('are awaited by drain before their write has begun', async () => {
    const recorder = new MintRecorder(service.database, { startAt: 100 });
    const mint = counted();
    void recorder.record(mint);
    await recorder.drain();
    expect(await stored([mint])).toEqual(idsOf([mint]));
  });
});

describe('a write', () => {
  test('is limited in bytes: large mints are split into several writes, many small ones share one', async () => {
    const { recorder, gate, batches } = gated({ batchBytes: 10_000 });
    gate.shut();
    const first = recorder.record(counted());
    const large = Array.from({ length: 6 }, () => counted({ userId: 'x'.repeat(4_000) }));
    const huge = counted({ userId: 'y'.repeat(50_000) });
    const small = Array.from({ length: 9 }, () => counted());
    const mints = [...large, huge, ...small];
    const recordings = mints.map((mint) => recorder.record(mint));
    gate.lift();
    await Promise.all([first, ...recordings]);
    expect(batches).toEqual([1, 2, 2, 2, 1, 9]);
    expect(await stored(mints)).toEqual(idsOf(mints));
  });
});

describe('a full queue', () => {
  test('refuses at once with UNAVAILABLE, and accepts mints again once there is space', async () => {
    const { recorder, gate } = gated({ queueLimit: 5 });
    gate.shut();
    const accepted = Array.from({ length: 6 }, () => counted({}, freshKey()));
    const recordings = accepted.map((mint) => recorder.record(mint));
    const key = freshKey();
    for (const surplus of [counted(), counted({}, key), counted({}, key)]) {
      const error = await recorder.record(surplus).catch((e: unknown) => e);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
      expect(Number((error as ApiError).headers['Retry-After'])).toBeGreaterThanOrEqual(1);
    }
    // Pending keys are still detected.
    expect(await recorder.record({ ...counted(), claim: accepted[3]!.claim! })).toEqual({
      outcome: 'in_progress',
    });
    gate.lift();
    const recorded = await Promise.all(recordings);
    expect(recorded.map((r) => r.outcome)).toEqual(new Array(6).fill('recorded'));
    expect((await recorder.record(counted({}, key))).outcome).toBe('recorded');
    expect(await used()).toBe(7);
  });
});

describe('drain', () => {
  test('resolves at once when the queue is empty', async () => {
    const drained = recorderOf(service.database).drain();
    const nextTick = new Promise((resolve) => setImmediate(resolve, 'later'));
    expect(await Promise.race([drained, nextTick])).toBeUndefined();
  });

  test('resolves when all queued mints have their results', async () => {
    const { recorder, gate } = gated({ batchLimit: 3 });
    gate.shut();
    let answered = 0;
    const mints = [...Array.from({ length: 9 }, () => counted()), counted({ revision: 99 })];
    const recordings = mints.map((mint) =>
      recorder.record(mint).then(
        () => answered++,
        () => answered++,
      ),
    );
    let drained = false;
    const draining = recorder.drain().then(() => {
      drained = true;
    });
    await query('SELECT 1', []);
    expect(drained).toBe(false);
    gate.lift();
    await draining;
    expect(answered).toBe(10);
    await Promise.all(recordings);
    expect(await stored(mints)).toEqual(idsOf(mints.slice(0, 9)));
    expect(recorder.queueLength).toBe(0);
  });
});

describe('a lost connection', () => {
  const write = async (recorder: MintRecorder, mints: Mint[]) =>
    Promise.all(mints.map((mint) => recorder.record(mint)));

  test.each([
    ['before the write has completed', 'before'],
    ['after the write, before its result', 'after'],
  ])('%s loses no session and counts none twice', async (_, when) => {
    const recorder = recorderOf(
      intercepted(async (send, attempt) => {
        if (attempt !== 1) return send();
        if (when === 'after') await send();
        throw connectionLost();
      }),
    );
    const mints = [counted(), counted({}, freshKey()), counted(), counted({}, freshKey())];
    const recorded = await write(recorder, mints);
    expect(recorded.map((r) => r.outcome)).toEqual(new Array(4).fill('recorded'));
    expect(recorded.map((r) => 'quota' in r && r.quota)).toEqual(
      [1, 2, 3, 4].map((n) => ({ used: n, limit: 1_000 })),
    );
    expect(await stored(mints)).toEqual(idsOf(mints));
    expect(await used()).toBe(4);
    for (const mint of [mints[1]!, mints[3]!]) {
      const again = await recorder.record({ ...counted(), claim: mint.claim! });
      expect(again).toMatchObject({ outcome: 'replayed', prior: { id: mint.session!.id } });
    }
  });

  test('that recurs is retried each time', async () => {
    const recorder = recorderOf(
      intercepted(async (send, attempt) => {
        const rows = await send();
        if (attempt < 4) throw connectionLost();
        return rows;
      }),
    );
    const mint = counted({}, freshKey());
    expect((await recorder.record(mint)).outcome).toBe('recorded');
    expect(await used()).toBe(1);
  });

  test('for too long gives UNAVAILABLE, and no key stays pending', async () => {
    let away = true;
    const recorder = recorderOf(
      intercepted(async (send) => {
        if (away) throw connectionLost();
        return send();
      }),
      { retryForMs: 100 },
    );
    const mints = [counted({}, freshKey()), counted(), counted({}, freshKey())];
    for (const settled of await Promise.allSettled(mints.map((mint) => recorder.record(mint)))) {
      expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    }
    away = false;
    expect((await write(recorder, mints)).map((r) => r.outcome)).toEqual(new Array(3).fill('recorded'));
    expect(await used()).toBe(3);
  });

  test('followed by a write conflict still records every mint once', async () => {
    const recorder = recorderOf(
      intercepted(async (send, attempt) => {
        if (attempt === 1) {
          await send();
          throw connectionLost();
        }
        if (attempt === 2) throw deadlock();
        return send();
      }),
    );
    const mints = [counted(), counted({}, freshKey()), counted(), counted()];
    const recorded = await write(recorder, mints);
    expect(recorded.map((r) => r.outcome)).toEqual(new Array(4).fill('recorded'));
    expect(await stored(mints)).toEqual(idsOf(mints));
    expect(await used()).toBe(4);
  });
});

test('a conflicting write is retried', async () => {
  const recorder = recorderOf(
    intercepted((send, attempt) => (attempt === 0 ? Promise.reject(deadlock()) : send())),
  );
  const mint = counted();
  expect((await recorder.record(mint)).outcome).toBe('recorded');
  expect(await used()).toBe(1);
});

/** The embedded engine has only one process, so these tests are not defined there instead of skipped. */
const withOtherProcesses =
  inject('engine') === 'postgres' ? describe : (_name: string, _tests: () => void) => undefined;

withOtherProcesses('a key that is pending in another process', () => {
  /** Simulates the other process: holds the advisory lock of the key while its write is in flight. */
  async function heldElsewhere(key: string, work: () => Promise<void>, alsoLock?: string): Promise<void> {
    await onDatabase(service.databaseUrl!, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock($1)', [
        Buffer.from(hash(key), 'hex').readBigInt64BE(0).toString(),
      ]);
      if (alsoLock !== undefined) await client.query(alsoLock);
      try {
        await work();
      } finally {
        await client.query('ROLLBACK');
      }
    });
  }

  test('is reported at once, also within a batch that waits for a lock', async () => {
    const { recorder, gate } = gated();
    const key = freshKey();
    const others = [counted({}, freshKey()), counted()];
    let recordings: Promise<unknown>[] = [];
    gate.shut();
    const first = recorder.record(uncounted());
    await heldElsewhere(
      key,
      async () => {
        recordings = [recorder.record(others[0]!), recorder.record(others[1]!)];
        const pending = recorder.record(counted({}, key));
        // All three are in one batch, and the table is locked: only the pending one can return.
        gate.lift();
        expect(await pending).toEqual({ outcome: 'in_progress' });
        expect(await Promise.race([...recordings, 'still waiting'])).toBe('still waiting');
      },
      'LOCK TABLE daily_sessions IN ACCESS EXCLUSIVE MODE',
    );
    expect((await first).outcome).toBe('recorded');
    expect(await Promise.all(recordings)).toMatchObject([{ outcome: 'recorded' }, { outcome: 'recorded' }]);
    expect(await used()).toBe(2);
  });

  test('is reported at once from the queue', async () => {
    const { recorder, gate } = gated({ probeAfterMs: 20 });
    const key = freshKey();
    gate.shut();
    const stuck = [counted(), counted({}, freshKey()), counted()];
    const recordings = stuck.map((mint) => recorder.record(mint));
    await heldElsewhere(key, async () => {
      // The queue is blocked in the meantime.
      expect(await recorder.record(counted({}, key))).toEqual({ outcome: 'in_progress' });
    });
    gate.lift();
    expect((await Promise.all(recordings)).map((r) => r.outcome)).toEqual(new Array(3).fill('recorded'));
    expect((await recorder.record(counted({}, key))).outcome).toBe('recorded');
    expect(await used()).toBe(4);
  });

  test('is reported from the queue even if the first probes fail', async () => {
    let looks = 0;
    const probing: Intercept = (send, attempt) => {
      looks++;
      return attempt < 3 ? Promise.reject(new NeverSent(new Error('timeout expired'))) : send();
    };
    const { recorder, gate } = gated({ probeAfterMs: 5 }, { probing });
    const key = freshKey();
    gate.shut();
    const first = recorder.record(counted());
    await heldElsewhere(key, async () => {
      expect(await recorder.record(counted({}, key))).toEqual({ outcome: 'in_progress' });
    });
    expect(looks).toBe(4);
    gate.lift();
    expect((await first).outcome).toBe('recorded');
  });

  test('is not caused by the probe itself', async () => {
    const gate = new Gate();
    let looked = 0;
    const database: Database = {
      ...service.database,
      query: async <Row>(lane: Workload, statement: Statement, values: unknown[]) => {
        if (lane === 'recording') await gate.opened;
        if (lane !== 'probing') return service.database.query<Row>(lane, statement, values);
        // A slow look-up of the keys: the write of the same keys completes while it runs.
        return onDatabase(service.databaseUrl!, async (client) => {
          await client.query('BEGIN');
          const { rows } = await client.query(statement.text, values);
          looked++;
          gate.lift();
          await Promise.all(recordings);
          await client.query('COMMIT');
          return rows as Row[];
        });
      },
    };
    const recorder = recorderOf(database, { probeAfterMs: 1 });
    gate.shut();
    const mints = [uncounted(), ...Array.from({ length: 20 }, () => uncounted(freshKey()))];
    const recordings = mints.map((mint) => recorder.record(mint));
    const outcomes = (await Promise.all(recordings)).map((recorded) => recorded.outcome);
    expect(outcomes).toEqual(new Array(21).fill('recorded'));
    expect(looked).toBe(1);
    await recorder.drain();
  });
});
