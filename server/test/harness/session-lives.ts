import type { Answer } from '@session-launch/testing/http.ts';
import { connect, type Launch, launched, type Reported, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { beforeAll, expect } from 'vitest';
import type { LifecycleDeps } from '../../src/sessions/lifecycle.ts';
import type { useService } from './service.ts';

/** What the tests read of a session's record. */
export interface SessionRecord {
  sessionId: string;
  status: string;
  createdAt: string;
  startedAt: string;
  endedAt: string;
  endReason?: string;
  usage: { seconds: number };
}

export interface SessionLives {
  world: World;
  /** For parts of the service that a test runs itself. */
  lifecycle: LifecycleDeps;
  /** Sessions that `lifecycle` has counted as lost. */
  lost: number;
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** A session that is minted and connected. */
  active(runtimeId?: string): Promise<Launch>;
  /** Reports, and returns the sessions that have to be closed. */
  said(sessions: Reported[], runtimeId?: string): Promise<unknown>;
  read(sessionId: string): Promise<SessionRecord>;
  endByApi(sessionId: string): Promise<Answer>;
  /**
   * Moves all times of a session into the past, or with negative seconds into the future. That is what the session sees when time
   * passes, and also when the clock of the database is set forward or back.
   */
  pass(sessionId: string, seconds: number): Promise<void>;
}

/** A project whose sessions begin, age and end, on the database of the service. */
export function useSessionLives(service: ReturnType<typeof useService>): SessionLives {
  const as = () => ({ headers: { Authorization: `Bearer ${lives.world.key}` } });
  const lives: SessionLives = {
    world: undefined as unknown as World,
    lifecycle: undefined as unknown as LifecycleDeps,
    lost: 0,
    query: (text, values = []) => service.database.query('everyday', { name: '', text }, values),
    active: async (runtimeId) => {
      const launch = await launched(service, lives.world);
      expect((await connect(service, launch, runtimeId)).status).toBe(200);
      return launch;
    },
    said: async (sessions, runtimeId) => {
      const answer = await report(service, sessions, runtimeId);
      expect(answer.status, answer.text).toBe(200);
      return answer.json.end;
    },
    read: async (sessionId) => (await service.call({ path: `/v1/sessions/${sessionId}`, ...as() })).json,
    endByApi: (sessionId) => service.call({ method: 'POST', path: `/v1/sessions/${sessionId}/end`, ...as() }),
    pass: async (sessionId, seconds) => {
      const earlier = (column: string) =>
        `${column} = ${column} - make_interval(secs => $2::double precision)`;
      await lives.query(
        `UPDATE sessions SET ${['created_at', 'expires_at', 'started_at'].map(earlier)} WHERE id = $1`,
        [sessionId, seconds],
      );
      await lives.query(
        `UPDATE active_sessions SET ${['started_at', 'reported_at'].map(earlier)} WHERE session_id = $1`,
        [sessionId, seconds],
      );
    },
  };
  beforeAll(async () => {
    lives.world = await createWorld(service);
    const lost = (sessions: number) => {
      lives.lost += sessions;
    };
    lives.lifecycle = {
      database: service.database,
      log: pino({ level: 'silent' }),
      counts: { connected: () => undefined, metered: () => undefined, lost },
    };
  });
  return lives;
}

/** Seconds from start to end. */
export function lasted({ startedAt, endedAt }: SessionRecord): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}
