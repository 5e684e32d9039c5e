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
import type { RoomService } from './room-service.ts';
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
/** Maximum requests to RoomService in flight, for removals and for the rest of a round. */
const atOnce = 16;
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
 * If LiveKit does not answer, nothing is reported, and after a minute the sessions end as those of any runtime that is lost.
 */
export class LivekitSessions {
  readonly #deps: LivekitDeps;
  readonly #clock: () => number;
  /** Active sessions, and when their client was last known to be in the room. */
  readonly #active = new Map<string, { url: string; confirmedAt: number }>();
  /** Sessions that were minted by this process and have not begun: when to ask for their client, and after how long again. */
  readonly #expected = new Map<string, { at: number; waitMs: number }>();
  /** Sessions that have ended and whose client has to be removed. */
  readonly #leaving = new Map<string, { url: string; until: number }>();
  #removing: Promise<void> | undefined;

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

  /** One round of reports. */
  async look(): Promise<void> {
    const before = [...this.#active];
    const active = await this.#deps.lifecycle.database.query<Active>('everyday', selectActive, []);
    const ids = new Set(active.map(({ sessionId }) => sessionId));
    // They were ended by another process, or without a request.
    for (const [sessionId] of before) if (!ids.has(sessionId)) this.onStatus(sessionId, 'ended');
    const unreachable = new Set<string>();
    await this.#report(active, unreachable);
    await this.#findUnannounced(unreachable);
    await this.#removeAll();
  }

  /** Resolves when no request is in flight any more. */
  async settled(): Promise<void> {
    await this.#removing;
  }

  async #report(active: readonly Active[], unreachable: Set<string>): Promise<void> {
    const reports: Report['sessions'] = [];
    await inParallel(active.values(), async (one) => {
      const { sessionId } = one;
      // A session whose project is being deleted must not stop the reports of the others.
      const room = await this.#roomOf(one).catch(() => undefined);
      if (!room) return;
      const known = this.#active.get(sessionId) ?? { url: room.url, confirmedAt: Number.NEGATIVE_INFINITY };
      this.#active.set(sessionId, known);
      if (one.seconds >= room.maxSeconds) {
        reports.push({ sessionId, seconds: room.maxSeconds, ended: 'max_duration' });
        return;
      }
      if (!one.isDue) return;
      if (this.#clock() - known.confirmedAt >= confirmEveryMs) {
        const isThere = await this.#isThere(sessionId, room.url, unreachable);
        if (isThere === undefined) return;
        if (!isThere) {
          this.#active.delete(sessionId);
          reports.push({ sessionId, seconds: 0, ended: 'client_left' });
          return;
        }
        known.confirmedAt = this.#clock();
      }
      reports.push({ sessionId, seconds: one.seconds });
    });
    for (let from = 0; from < reports.length; from += batchSize) {
      const sessions = reports.slice(from, from + batchSize);
      await reportSessions(this.#deps.lifecycle, { runtimeId, sessions }, runtimeId);
    }
  }

  /** Begins sessions whose client is in its room although no webhook has said so. */
  async #findUnannounced(unreachable: Set<string>): Promise<void> {
    const now = this.#clock();
    const due = [...this.#expected].filter(([, { at }]) => at <= now);
    await inParallel(due.values(), async ([sessionId, expected]) => {
      const session = await this.#find(sessionId);
      const room = session && (await this.#roomOf(session));
      if (!session || !room || session.startedAt !== null || session.endedAt !== null) {
        this.#expected.delete(sessionId);
        return;
      }
      const isThere = await this.#isThere(sessionId, room.url, unreachable);
      if (isThere === true) {
        this.#deps.lifecycle.log.warn(
          { sessionId },
          'a client is in its room, but LiveKit sent no webhook; check its webhook settings',
        );
        this.#expected.delete(sessionId);
        await this.#begin(session, room, runtimeId);
      } else if (session.expiresAt.getTime() < Date.now()) this.#expected.delete(sessionId);
      else {
        expected.waitMs *= 2;
        expected.at = now + expected.waitMs;
      }
    });
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

  async #isThere(sessionId: string, url: string, unreachable: Set<string>): Promise<boolean | undefined> {
    // One timeout per server and round.
    if (unreachable.has(url)) return undefined;
    try {
      return await this.#deps.rooms.hasClient(url, sessionId);
    } catch (error) {
      if (!unreachable.has(url))
        this.#deps.lifecycle.log.warn({ url, reason: (error as Error).message }, 'LiveKit cannot be reached');
      unreachable.add(url);
      return undefined;
    }
  }

  #remove(sessionId: string, url: string): void {
    this.#leaving.set(sessionId, { url, until: this.#clock() + removeForMs });
    void this.#removeAll();
  }

  /** Removes the clients of ended sessions. Those that cannot be removed are tried again in the next round. */
  #removeAll(): Promise<void> {
    const unreachable = new Set<string>();
    // The iterator includes entries that are added while it runs.
    this.#removing ??= inParallel(this.#leaving.entries(), async ([sessionId, { url, until }]) => {
      if (unreachable.has(url)) return;
      try {
        await this.#deps.rooms.removeClient(url, sessionId);
        this.#leaving.delete(sessionId);
      } catch (error) {
        unreachable.add(url);
        const { message: reason } = error as Error;
        this.#deps.lifecycle.log.warn({ sessionId, url, reason }, 'a client was not removed from its room');
        if (this.#clock() > until) this.#leaving.delete(sessionId);
      }
    }).finally(() => {
      this.#removing = undefined;
    });
    return this.#removing;
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

async function inParallel<T>(items: IterableIterator<T>, work: (item: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
