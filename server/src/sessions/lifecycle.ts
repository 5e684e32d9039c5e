import type { Report, ReportAnswer } from '@session-launch/contract/runtime/lifecycle';
import type { EndReason } from '@session-launch/contract/session';
import type { Logger } from 'pino';
import { ApiError } from '../errors.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Session } from './session.ts';
import { fromRow, type SessionRow } from './session-row.ts';

/** What the lifecycle counts while it works. */
export interface LifecycleCounts {
  /** By outcome: `active`, or the code of the refusal. */
  connected(outcome: string): void;
  metered(seconds: number): void;
  lost(sessions: number): void;
}

export interface LifecycleDeps {
  database: Database;
  log: Logger;
  counts: LifecycleCounts;
}

const connectStatement: Statement = {
  name: 'connect_session',
  text: 'SELECT outcome, session FROM connect_session($1, $2)',
};
const reportStatement: Statement = {
  name: 'report_sessions',
  text: 'SELECT kind, session_id, reason, added FROM report_sessions($1, $2)',
};
const silentStatement: Statement = {
  name: 'end_silent_sessions',
  text: 'SELECT session_id FROM end_silent_sessions($1)',
};

const refusals = {
  unknown: () => new ApiError('SESSION_TOKEN_INVALID'),
  connected: () => new ApiError('SESSION_ALREADY_CONNECTED'),
  ended: () => new ApiError('SESSION_ENDED'),
  limit: () => new ApiError('CONCURRENCY_LIMIT', { headers: { 'Retry-After': '5' } }),
};

/** Makes a session active for a runtime whose client has brought a valid token. One statement, exact across processes. */
export async function connectSession(
  { database, log, counts }: LifecycleDeps,
  sessionId: string,
  runtimeId: string,
  requestId: string,
): Promise<Session> {
  const [row] = await database.query<{
    outcome: keyof typeof refusals | 'active';
    session: SessionRow | null;
  }>('everyday', connectStatement, [sessionId, runtimeId]);
  if (row === undefined) throw new Error('connect_session answered nothing');
  if (row.outcome !== 'active') {
    const refusal = refusals[row.outcome]();
    counts.connected(refusal.code);
    throw refusal;
  }
  counts.connected('active');
  log.info({ reqId: requestId, sessionId, runtimeId }, 'a session has begun');
  return fromRow(row.session!);
}

/** Takes what a runtime says of its sessions, and tells which of them it has to close. */
export async function reportSessions(
  { database, log, counts }: LifecycleDeps,
  { runtimeId, sessions }: Report,
  requestId: string,
): Promise<ReportAnswer> {
  if (sessions.length === 0) return { end: [] };
  const rows = await database.query<{
    kind: 'over' | 'total';
    session_id: string;
    reason: EndReason;
    added: string | number;
  }>('everyday', reportStatement, [runtimeId, JSON.stringify(sessions)]);
  const end: ReportAnswer['end'] = [];
  for (const row of rows) {
    if (row.kind === 'over') end.push({ sessionId: row.session_id, reason: row.reason });
    else counts.metered(Number(row.added));
  }
  for (const { sessionId, ended } of sessions) {
    if (ended !== undefined)
      log.info({ reqId: requestId, sessionId, runtimeId, reason: ended }, 'a session has ended');
  }
  return { end };
}

const sweepSize = 500;

/** Ends sessions whose runtime has fallen silent. Called now and then, by every process. */
export async function endSilentSessions({ database, log, counts }: LifecycleDeps): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const ended = await database.query<{ session_id: string }>('everyday', silentStatement, [sweepSize]);
    counts.lost(ended.length);
    for (const { session_id } of ended)
      log.warn(
        { sessionId: session_id, reason: 'runtime_lost' },
        'a session has ended: its runtime fell silent',
      );
    if (ended.length < sweepSize) return;
  }
}
