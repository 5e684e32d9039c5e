import { defaults } from '@session-launch/contract/project-file/fields';
import type { Report } from '@session-launch/contract/runtime/lifecycle';
import type { Status } from '@session-launch/contract/session';
import type { Directory } from '../content/directory.ts';
import { ApiError } from '../primitives/errors.ts';
import { findById } from '../sessions/find.ts';
import { type ChangeDeps, connectSession, endSession, reportSessions } from '../sessions/lifecycle.ts';
import type { Session } from '../sessions/session.ts';
import { type FoundRow, fromFound } from '../sessions/session-row.ts';
import type { Statement } from '../store/database.ts';
import { type RoomService, RoomServiceError } from './room-service.ts';
import type { RoomEvent } from './webhook.ts';

export interface LivekitDeps {
  lifecycle: ChangeDeps;
  directory: Pick<Directory, 'revision'>;
  rooms: Pick<RoomService, 'hasClient' | 'removeClient'>;
  clock?: () => number;
}

/** The runtime of all sessions that take place in LiveKit's rooms. Any process of the service reports for it. */
const runtimeId = 'livekit';
/** Milliseconds between two requests to RoomService whether a client is still in its room, in case a webhook was lost. */
const confirmEveryMs = 30_000;
/** Milliseconds after a mint until the first request to RoomService whether the client has joined without a webhook. Doubled each time. */
const firstExpectedMs = 15_000;
const maxExpected = 10_000;
/** Milliseconds for which the removal of a client is tried. */
const removeForMs = 10 * 60_000;
/** Maximum database queries of a round, and maximum removals and other requests to one LiveKit address, that are in flight. */
const atOnce = 16;
/** Failed requests to an address after which a round gives it up, if none has succeeded. */
const maxFirstFailures = 3;
/** Maximum sessions in one report. */
const batchSize = 5_000;

interface Room {
  url: string;
  maxSeconds: number;
}

interface Active {
  sessionId: string;
  projectId: string;
  experienceId: string;
  revision: number;
  seconds: number;
  /** Whether the last report is older than four seconds. */
  isDue: boolean;
}

type Reports = Report['sessions'];

/** Asks RoomService about a session. Adds what it has confirmed. */
type Check = (confirmed: Reports) => Promise<void>;

/** By the address of the LiveKit server. */
type Checks = Map<string, Check[]>;

export const selectActive: Statement = {
  name: 'select_livekit_sessions',
  text: `SELECT a.session_id AS "sessionId", s.project_id AS "projectId", s.experience_id AS "experienceId", s.revision,
                extract(epoch FROM now() - a.started_at)::double precision AS seconds,
                a.reported_at NOT BETWEEN now() - interval '4 seconds' AND now() AS "isDue"
           FROM active_sessions a JOIN sessions s ON s.id = a.session_id
          WHERE a.runtime_id = '${runtimeId}'`,
};

/**
 * The sessions in rooms of LiveKit. LiveKit is their runtime, but reports nothing: webhooks begin and end them, and this class reports for
 * it. A webhook may be lost, repeated or late, so an end is confirmed with RoomService, and so is, at intervals, that a session goes on.
 * If a LiveKit server does not answer, nothing is reported for its sessions, and after a minute they end as those of a lost runtime.
 */
export class LivekitSessions {
  readonly #deps: LivekitDeps;
  readonly #clock: () => number;
  /** Active sessions, and when their client was last known to be in the room. */
  readonly #active = new Map<string, { url: string; confirmedAt: number }>();
  /** Sessions that were minted by this process and have not begun: when to ask for their client, and after how long again. */
  readonly #expected = new Map<string, { at: number; waitMs: number }>();
  /** By address: sessions that have ended and whose client has to be removed, and until when that is tried. */
  readonly #leaving = new Map<string, Map<string, number>>();
  /** By address: requests in flight for the list of clients. */
  readonly #checking = new Map<string, Promise<void>>();
  /** By address: removals in flight. */
  readonly #removing = new Map<string, Promise<void>>();

  constructor(deps: LivekitDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? (() => performance.now());
  }

  /** Applies a webhook. One that is repeated, late or out of order changes nothing. */
  async apply({ sessionId, what }: RoomEvent, requestId: string): Promise<void> {
    const session = await this.#find(sessionId);
    const room = session && (await this.#roomOf(session));
    if (!session || !room) return;
    if (what === 'joined') await this.#begin(session, room, requestId);
    else await this.#endIfGone(session, room, requestId);
  }

  /** Called when a launch of a session is rendered. */
  expect(sessionId: string): void {
    if (this.#expected.size >= maxExpected || this.#active.has(sessionId)) return;
    if (!this.#expected.has(sessionId))
      this.#expected.set(sessionId, { at: this.#clock() + firstExpectedMs, waitMs: firstExpectedMs });
  }

  /** Called when a session has changed its status in this process. */
  onStatus = (sessionId: string, status: Status): void => {
    if (status !== 'ended') return;
    const active = this.#active.get(sessionId);
    this.#active.delete(sessionId);
    if (active) this.#remove(sessionId, active.url);
  };

  /** Begins one round of reports. Does not wait for LiveKit: an address that is slow must not delay the sessions of another one. */
  async look(): Promise<void> {
    const before = [...this.#active];
    const active = await this.#deps.lifecycle.database.query<Active>('everyday', selectActive, []);
    const ids = new Set(active.map(({ sessionId }) => sessionId));
    // They were ended by another process, or without a request.
    for (const [sessionId] of before) if (!ids.has(sessionId)) this.onStatus(sessionId, 'ended');
    const checks: Checks = new Map();
    await this.#report(active, checks);
    await this.#findUnannounced(checks);
    for (const [url, some] of checks) this.#check(url, some);
    for (const [url, leaving] of this.#leaving) this.#removeFrom(url, leaving);
  }

  /** Resolves when no request is in flight any more. */
  async settled(): Promise<void> {
    while (this.#checking.size + this.#removing.size > 0)
      await Promise.all([...this.#checking.values(), ...this.#removing.values()]);
  }

  /** Reports the sessions that were confirmed lately. The others are reported once their address has confirmed them. */
  async #report(active: readonly Active[], checks: Checks): Promise<void> {
    const reports: Reports = [];
    await inParallel(active.values(), async (one) => {
      const { sessionId } = one;
      // A session whose project is being deleted must not stop the reports of the others.
      const room = await this.#roomOf(one).catch(() => undefined);
      if (!room) return;
      const known = this.#active.get(sessionId) ?? { url: room.url, confirmedAt: Number.NEGATIVE_INFINITY };
      this.#active.set(sessionId, known);
      if (one.seconds >= room.maxSeconds)
        reports.push({ sessionId, seconds: room.maxSeconds, ended: 'max_duration' });
      else if (!one.isDue) return;
      else if (this.#clock() - known.confirmedAt < confirmEveryMs)
        reports.push({ sessionId, seconds: one.seconds });
      else
        checksAt(checks, room.url).push(async (confirmed) => {
          if (await this.#deps.rooms.hasClient(room.url, sessionId)) {
            known.confirmedAt = this.#clock();
            confirmed.push({ sessionId, seconds: one.seconds });
          } else {
            this.#active.delete(sessionId);
            await this.#send([{ sessionId, seconds: 0, ended: 'client_left' }]);
          }
        });
    });
    await this.#send(reports);
  }

  async #send(reports: Reports): Promise<void> {
    for (let from = 0; from < reports.length; from += batchSize) {
      const sessions = reports.slice(from, from + batchSize);
      await reportSessions(this.#deps.lifecycle, { runtimeId, sessions }, runtimeId);
    }
  }

  /** Begins sessions whose client is in its room although no webhook has said so. */
  async #findUnannounced(checks: Checks): Promise<void> {
    const now = this.#clock();
    const due = [...this.#expected].filter(([, { at }]) => at <= now);
    await inParallel(due.values(), async ([sessionId, expected]) => {
      const session = await this.#find(sessionId);
      // A project that is being deleted has no revisions any more.
      const room = session && (await this.#roomOf(session).catch(() => undefined));
      if (!session || !room || session.startedAt !== null || session.endedAt !== null) {
        this.#expected.delete(sessionId);
        return;
      }
      if (session.expiresAt.getTime() < Date.now()) this.#expected.delete(sessionId);
      expected.waitMs *= 2;
      expected.at = now + expected.waitMs;
      checksAt(checks, room.url).push(async () => {
        if (!(await this.#deps.rooms.hasClient(room.url, sessionId))) return;
        this.#deps.lifecycle.log.warn(
          { sessionId },
          'a client is in its room, but LiveKit sent no webhook; check its webhook settings',
        );
        await this.#begin(session, room, runtimeId);
      });
    });
  }

  /** Makes the requests to one address. Skipped while those of an earlier round are in flight. */
  #check(url: string, checks: readonly Check[]): void {
    if (this.#checking.has(url)) return;
    const run = async () => {
      const confirmed: Reports = [];
      await inParallelAt(checks.values(), (check) => check(confirmed)).catch((error: Error) => {
        const reason = error.message;
        if (error instanceof RoomServiceError)
          this.#deps.lifecycle.log.warn({ url, reason }, 'LiveKit cannot be reached');
        else this.#deps.lifecycle.log.warn({ url, err: error }, 'sessions in rooms were not checked');
      });
      await this.#send(confirmed);
    };
    const running = run()
      .catch((err) => this.#deps.lifecycle.log.warn({ url, err }, 'sessions in rooms were not reported'))
      .finally(() => this.#checking.delete(url));
    this.#checking.set(url, running);
  }

  async #begin(session: Session, { url }: Room, requestId: string): Promise<void> {
    const { id: sessionId, projectId } = session;
    const { lifecycle } = this.#deps;
    this.#expected.delete(sessionId);
    try {
      await connectSession(lifecycle, { sessionId, projectId, runtimeId, client: undefined }, requestId);
      // Confirmed in the next round, in case the webhook was late and the client has left again.
      this.#active.set(sessionId, { url, confirmedAt: Number.NEGATIVE_INFINITY });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A repeated webhook is no refusal.
      if (error.code === 'SESSION_ALREADY_CONNECTED') return;
      if (error.code !== 'SESSION_ENDED' && error.code !== 'CONCURRENCY_LIMIT') throw error;
      lifecycle.counts.connected(error.code);
      lifecycle.log.info({ reqId: requestId, sessionId, code: error.code }, 'a client of a room is refused');
      this.#remove(sessionId, url);
    }
  }

  /** The webhook of an earlier connection may arrive after the client has joined again. */
  async #endIfGone(session: Session, { url }: Room, requestId: string): Promise<void> {
    const { id, projectId, startedAt, endedAt } = session;
    if (startedAt === null || endedAt !== null) return;
    let isThere: boolean;
    try {
      isThere = await this.#deps.rooms.hasClient(url, id);
    } catch (error) {
      // LiveKit sends the webhook again.
      throw new ApiError('UNAVAILABLE', { cause: error, headers: { 'Retry-After': '5' } });
    }
    if (isThere) return;
    this.#active.delete(id);
    await endSession(this.#deps.lifecycle, projectId, id, 'client_left', requestId);
  }

  #remove(sessionId: string, url: string): void {
    const leaving = this.#leaving.get(url) ?? new Map<string, number>();
    this.#leaving.set(url, leaving.set(sessionId, this.#clock() + removeForMs));
    this.#removeFrom(url, leaving);
  }

  /** Removes the clients of ended sessions at one address. Those that cannot be removed are tried again in the next round. */
  #removeFrom(url: string, leaving: Map<string, number>): void {
    if (this.#removing.has(url)) return;
    const { rooms, lifecycle } = this.#deps;
    const run = async () => {
      // Repeated, because sessions are added in between.
      while (leaving.size > 0)
        await inParallelAt(leaving.keys(), async (sessionId) => {
          await rooms.removeClient(url, sessionId);
          leaving.delete(sessionId);
        });
    };
    const running = run()
      .catch((error: Error) => {
        lifecycle.log.warn({ url, reason: error.message }, 'clients were not removed from their rooms');
        const now = this.#clock();
        for (const [sessionId, until] of leaving) if (now > until) leaving.delete(sessionId);
      })
      .finally(() => {
        this.#removing.delete(url);
        if (leaving.size === 0) this.#leaving.delete(url);
      });
    this.#removing.set(url, running);
  }

  async #find(sessionId: string): Promise<Session | undefined> {
    const [row] = await this.#deps.lifecycle.database.query<FoundRow>('everyday', findById, [sessionId]);
    return row && fromFound(row);
  }

  /** `undefined` for sessions with another transport. */
  async #roomOf({
    projectId,
    experienceId,
    revision,
  }: Pick<Session, 'projectId' | 'experienceId' | 'revision'>): Promise<Room | undefined> {
    const { runtime } = await this.#deps.directory.revision(projectId, experienceId, revision);
    if (runtime.transport.type !== 'livekit') return undefined;
    const { maxSeconds } = runtime.limits ?? defaults.sessionLimits;
    return { url: runtime.transport.url as string, maxSeconds };
  }
}

function checksAt(checks: Checks, url: string): Check[] {
  const some = checks.get(url) ?? [];
  checks.set(url, some);
  return some;
}

async function inParallel<T>(items: IterableIterator<T>, work: (item: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/**
 * Requests to one address: one at a time until one has succeeded, then several at once. Gives up if the first ones all fail; a single
 * session whose requests fail does not affect the others. Throws the first failure at the end.
 */
async function inParallelAt<T>(items: IterableIterator<T>, work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const attempt = (item: T) =>
    work(item).then(
      () => true,
      (error: unknown) => {
        failures.push(error);
        return false;
      },
    );
  let isReachable = false;
  for (const item of items) {
    isReachable = await attempt(item);
    if (isReachable || failures.length >= maxFirstFailures) break;
  }
  if (isReachable) await inParallel(items, async (item) => void (await attempt(item)));
  if (failures.length > 0) throw failures[0];
}
