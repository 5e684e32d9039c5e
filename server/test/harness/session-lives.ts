import type { Answer } from '@session-launch/testing/http.ts';
import { connect, type Launch, launched, type Reported, report } from '@session-launch/testing/lifecycle.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { beforeAll, expect } from 'vitest';
import type { LifecycleDeps } from '../../src/sessions/lifecycle.ts';
import type { useService } from './service.ts';

/** The fields of a session record that the tests read. */
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
  /** Dependencies for lifecycle functions that a test calls directly. */
  lifecycle: LifecycleDeps;
  /** Number of sessions that `lifecycle` has counted as lost. */
  lost: number;
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Mints and connects a session. */
  active(runtimeId?: string): Promise<Launch>;
  /** Sends a report and returns the sessions that the runtime must close. */
  said(sessions: Reported[], runtimeId?: string): Promise<unknown>;
  read(sessionId: string): Promise<SessionRecord>;
  endByApi(sessionId: string): Promise<Answer>;
  /**
   * Moves all timestamps of a session into the past, or with negative seconds into the future. Simulates elapsed time, or a change of the
   * database's clock.
   */
  pass(sessionId: string, seconds: number): Promise<void>;
}

/** Creates a project and helpers for the lifecycle of its sessions. */
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
