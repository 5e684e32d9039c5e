import { setTimeout as sleep } from 'node:timers/promises';
import { postgresFleet, until } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { connect, type Launch, launched, leave, report } from '@session-launch/testing/lifecycle.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { inTime } from '@session-launch/testing/slowness.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { expect, type TestContext, test } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { effort } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { watchForAMinute, wrong } from './live-sessions.ts';

const limit = 12;
/** Stands for a report with 200, which is also returned for a session that never connected. */
const acceptedReport = 299;
const kills = effort(2, 20);
/** Requests that connect or end a session. */
const wantedEvents = effort(600, 200_000);

/** One request as its caller saw it. `outcome` is the status, or `unknown` without a response or with a 5xx. */
interface Seen {
  sessionId: string;
  kind: 'connect' | 'end';
  /** A position in the one order of all sent requests and received responses. */
  sent: number;
  answered: number;
  outcome: number | 'unknown';
}

/** The history of all requests, in the order in which this process sent them and received their responses. */
class ConnectHistory {
  readonly seen: Seen[] = [];
  #clock = 0;

  async note(sessionId: string, kind: Seen['kind'], ask: () => Promise<Answer>): Promise<Seen['outcome']> {
    const one: Seen = {
      sessionId,
      kind,
      sent: this.#clock++,
      answered: Number.POSITIVE_INFINITY,
      outcome: 'unknown',
    };
    this.seen.push(one);
    const status = (await ask().catch(() => undefined))?.status ?? 599;
    if (status < 500) {
      one.answered = this.#clock++;
      one.outcome = status;
    }
    return one.outcome;
  }

  /**
   * The largest number of sessions that were certainly active at the same time: from the response of a connect with 200 until a request is
   * sent that may end the session. Sessions whose connect was not answered may be active too, so this is a lower bound.
   */
  mostActive(): number {
    const ends = new Map<string, number>();
    for (const { sessionId, kind, sent } of this.seen)
      if (kind === 'end')
        ends.set(sessionId, Math.min(sent, ends.get(sessionId) ?? Number.POSITIVE_INFINITY));
    const steps: [at: number, change: number][] = [];
    for (const { sessionId, kind, answered, outcome } of this.seen) {
      const end = ends.get(sessionId) ?? Number.POSITIVE_INFINITY;
      if (kind === 'connect' && outcome === 200 && answered < end) steps.push([answered, 1], [end, -1]);
    }
    let [active, most] = [0, 0];
    for (const [, change] of steps.sort(([a], [b]) => a - b)) {
      active += change;
      most = Math.max(most, active);
    }
    return most;
  }

  /**
   * Connects that were refused although fewer sessions than the limit can have been active at any time in between. A session may have been
   * active from the moment its connect was sent until the response to its end.
   */
  unjustified(most: number): string[] {
    const spans = new Map<string, { from: number; to: number }>();
    const connected = new Map<string, number>();
    for (const { sessionId, kind, sent, answered, outcome } of this.seen) {
      if (kind !== 'connect' || (outcome !== 200 && outcome !== 'unknown')) continue;
      const from = Math.min(sent, spans.get(sessionId)?.from ?? Number.POSITIVE_INFINITY);
      spans.set(sessionId, { from, to: Number.POSITIVE_INFINITY });
      if (outcome === 200) connected.set(sessionId, answered);
    }
    for (const { sessionId, kind, sent, answered, outcome } of this.seen) {
      const span = spans.get(sessionId);
      // A report ends no session whose connect is stored later.
      const isEnd =
        outcome === 200 ||
        outcome === 204 ||
        (outcome === acceptedReport && sent > connected.get(sessionId)!);
      if (span !== undefined && kind === 'end' && isEnd) span.to = Math.min(span.to, answered);
    }
    const ascending = (a: number, b: number) => a - b;
    const begun = [...spans.values()].map(({ from }) => from).sort(ascending);
    const over = [...spans.values()].map(({ to }) => to).sort(ascending);
    return this.seen
      .filter(({ kind, outcome }) => kind === 'connect' && outcome === 429)
      .filter(({ sent, answered }) => countBelow(begun, answered) - countBelow(over, sent) < most)
      .map(({ sessionId }) => `${sessionId} was refused below the limit`);
  }

  /** Differences between the responses and the stored sessions. */
  problems(stored: Map<string, StoredSession>): string[] {
    const bySession = new Map<string, Seen[]>();
    for (const one of this.seen) bySession.set(one.sessionId, [...(bySession.get(one.sessionId) ?? []), one]);
    return [...bySession].flatMap(([id, seen]) => {
      const session = stored.get(id);
      if (session === undefined) return [`${id} is not stored`];
      const of = (kind: Seen['kind'], ...outcomes: Seen['outcome'][]) =>
        seen.filter((one) => one.kind === kind && outcomes.includes(one.outcome)).length;
      const connects = of('connect', 200);
      const mayHave = connects + of('connect', 'unknown') > 0;
      return [
        ...(connects > 1 ? [`${id} was connected ${connects} times`] : []),
        ...(connects === 1 && !session.isStarted ? [`the connect of ${id} is lost`] : []),
        ...(session.isStarted && !mayHave ? [`${id} was started by a connect that was refused`] : []),
        ...(of('end', 200, 204) > 0 && !session.isEnded ? [`the end of ${id} is lost`] : []),
        ...(session.isEnded &&
        session.reason !== 'runtime_lost' &&
        of('end', 200, 204, acceptedReport, 'unknown') === 0
          ? [`${id} was ended by nobody`]
          : []),
      ];
    });
  }
}

/** How many of these numbers, which ascend, are smaller. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface StoredSession {
  isStarted: boolean;
  isEnded: boolean;
  reason: string | null;
}

async function storedSessions(database: Database, { projectId }: World): Promise<Map<string, StoredSession>> {
  const rows = await database.query<StoredSession & { id: string }>(
    'admin',
    {
      text: `SELECT id, started_at IS NOT NULL AS "isStarted", ended_at IS NOT NULL AS "isEnded", end_reason AS reason
               FROM sessions WHERE project_id = $1`,
    },
    [projectId],
  );
  return new Map(rows.map(({ id, ...session }) => [id, session]));
}

/** Watches the stored number of active sessions. */
function watchCount(database: Database, { projectId }: World) {
  let most = 0;
  let isOver = false;
  const text = `SELECT (SELECT count(*)::integer FROM active_sessions WHERE project_id = $1) AS live,
                       coalesce((SELECT active FROM active_counts WHERE project_id = $1), 0) AS counted`;
  const watching = (async () => {
    while (!isOver) {
      const [row] = await database.query<{ live: number; counted: number }>('admin', { text }, [projectId]);
      expect(row!.counted).toBe(row!.live);
      most = Math.max(most, row!.live);
      await sleep(5);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return most;
    },
  };
}

/** Connects and ends sessions through the processes until it is stopped. */
function startLoad(
  world: World,
  services: Promise<ServiceProcess>[],
  history: ConnectHistory,
  random: () => number,
) {
  let isOver = false;
  const end = (service: ServiceProcess, launch: Launch, way: number) => {
    const { sessionId } = launch;
    const headers = { Authorization: `Bearer ${world.key}` };
    if (way === 0) return service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, headers });
    if (way === 1) return leave(service, sessionId, launch.sessionToken);
    return report(service, [{ sessionId, seconds: 0, ended: 'client_ended' }], 'rt_test');
  };
  const workers = Array.from({ length: 24 }, async (_, n) => {
    const serving = () => services[n % services.length]!;
    const pause = () => sleep(20);
    for (let turn = 0; !isOver; turn++) {
      const launch = await serving()
        .then((service) => launched(service, world))
        .catch(() => undefined);
      if (launch === undefined) {
        await pause();
        continue;
      }
      const connecting = async () => {
        const service = await serving();
        return history.note(launch.sessionId, 'connect', () => connect(service, launch));
      };
      // Some clients connect twice at once, and some leave before their connect is answered.
      const attempts = [connecting()];
      if (turn % 5 === 0) attempts.push(connecting());
      if (turn % 4 !== 0) await Promise.all(attempts);
      await sleep(random() * 10);
      // A report ends active sessions only.
      const way = turn % 4 === 0 ? n % 2 : (n + turn) % 3;
      for (let outcome: Seen['outcome'] = 'unknown'; outcome === 'unknown'; ) {
        const service = await serving();
        outcome = await history.note(launch.sessionId, 'end', async () => {
          const answer = await end(service, launch, way);
          return way === 2
            ? { ...answer, status: answer.status === 200 ? acceptedReport : answer.status }
            : answer;
        });
        if (outcome === 'unknown') await pause();
      }
      await Promise.all(attempts);
    }
  });
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(workers);
    },
  };
}

async function opened(context: TestContext, url: string): Promise<Database> {
  const database = await openPostgres(url, { onIdleError: () => undefined });
  context.onTestFinished(() => database.close());
  return database;
}

test('two processes that are killed again and again never exceed concurrentSessions, and lose and double no connect and no end', async (context) => {
  const random = seededRandom(context);
  const fleet = await postgresFleet(context.onTestFinished);
  const database = await opened(context, fleet.databaseUrl);
  const services = [fleet.start(), fleet.start()];
  await Promise.all(services);
  const world = await createWorld(await services[0]!, { project: { limits: { concurrentSessions: limit } } });
  const history = new ConnectHistory();
  const count = watchCount(database, world);
  const load = startLoad(world, services, history, random);
  const events = (wanted: number) => until('requests', async () => history.seen.length >= wanted, 3_600_000);
  try {
    for (let kill = 0; kill < kills; kill++) {
      await events((wantedEvents / (kills + 1)) * (kill + 1));
      await sleep(random() * 100);
      const victim = kill % 2;
      services[victim] = services[victim]!.then((running) => running.kill('SIGKILL')).then(() =>
        fleet.start(),
      );
      await services[victim];
    }
    await events(wantedEvents);
  } finally {
    await load.stop();
  }
  const most = await count.stop();
  expect(most).toBeLessThanOrEqual(limit);
  expect(history.mostActive()).toBeLessThanOrEqual(limit);
  expect(history.unjustified(limit)).toEqual([]);
  // The limit was reached, so it was not kept by chance.
  expect(most).toBe(limit);
  expect(history.seen.some(({ outcome }) => outcome === 429)).toBe(true);
  expect(history.seen.some(({ outcome }) => outcome === 'unknown')).toBe(true);
  expect(history.problems(await storedSessions(database, world))).toEqual([]);
  expect(await database.query('admin', { text: wrong })).toEqual([]);
  await watchForAMinute(database);
  const left = 'SELECT session_id FROM active_sessions';
  expect(await database.query('admin', { text: left })).toEqual([]);
  expect(await database.query('admin', { text: wrong })).toEqual([]);
});

test('while processes of the previous version call their functions, the limit is kept and no connect and no end is lost', async (context) => {
  const random = seededRandom(context);
  const fleet = await postgresFleet(context.onTestFinished);
  const database = await opened(context, fleet.databaseUrl);
  const service = await fleet.start();
  const world = await createWorld(service, { project: { limits: { concurrentSessions: limit } } });
  /** A process of the previous version: one statement for each connect and each end. */
  const old = await opened(context, fleet.databaseUrl);
  const status = (code: number) => ({ status: code }) as Answer;
  const codes: Record<string, number> = { active: 200, connected: 409, ended: 410, limit: 429 };
  const oldConnect = async ({ sessionId }: Launch) => {
    const text = 'SELECT outcome, session FROM connect_client($1, $2, $3)';
    const [row] = await old.query<{ outcome: string }>('everyday', { text }, [sessionId, 'rt_old', null]);
    return status(codes[row!.outcome]!);
  };
  const oldEnd = async ({ sessionId }: Launch) => {
    const text = 'SELECT session, ended_now, added FROM end_session($1, $2, $3)';
    const rows = await old.query('everyday', { text }, [world.projectId, sessionId, 'api_request']);
    return status(rows.length === 1 ? 200 : 404);
  };
  const history = new ConnectHistory();
  const count = watchCount(database, world);
  const each = effort(8, 400);
  await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      for (let turn = 0; turn < each; turn++) {
        const launch = await launched(service, world);
        const { sessionId } = launch;
        const both = [() => connect(service, launch), () => oldConnect(launch)];
        const asked = turn % 3 === 0 ? both : [both[n % 2]!];
        await Promise.all(asked.map((ask) => history.note(sessionId, 'connect', ask)));
        await sleep(random() * 10);
        const ends = [() => leave(service, sessionId, launch.sessionToken), () => oldEnd(launch)];
        await history.note(sessionId, 'end', ends[(n + turn) % 2]!);
      }
    }),
  );
  expect(await count.stop()).toBe(limit);
  expect(history.mostActive()).toBeLessThanOrEqual(limit);
  expect(history.unjustified(limit)).toEqual([]);
  inTime(
    history.seen.map(({ outcome }) => outcome),
    'unknown',
  );
  expect(history.problems(await storedSessions(database, world))).toEqual([]);
  expect(await database.query('admin', { text: wrong })).toEqual([]);
});
