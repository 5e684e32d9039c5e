import type { Report, ReportAnswer } from '@session-launch/contract/runtime/lifecycle';
import type { EndReason, Status } from '@session-launch/contract/session';
import type { Logger } from 'pino';
import type { LifecycleCounts } from '../observe/metrics.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Database, Statement, Transaction } from '../store/database.ts';
import type { Session } from './session.ts';
import type { Refusal, SessionChanges } from './session-changes.ts';
import { fromRow, type SessionRow } from './session-row.ts';

export interface LifecycleDeps {
  database: Database;
  log: Logger;
  counts: LifecycleCounts;
  /** Called when this process has changed the status of a session. */
  onStatus?: OnStatus;
}

export type OnStatus = (sessionId: string, status: Status, projectId?: string) => void;

/** Of functions that connect or end a session by a request. */
export interface ChangeDeps extends LifecycleDeps {
  changes: SessionChanges;
}

const retryLater = { 'Retry-After': '5' };
export const refusals: Record<Refusal, () => ApiError> = {
  unknown: () => new ApiError('SESSION_TOKEN_INVALID'),
  connected: () => new ApiError('SESSION_ALREADY_CONNECTED'),
  ended: () => new ApiError('SESSION_ENDED'),
  limit: () => new ApiError('CONCURRENCY_LIMIT', { headers: retryLater }),
  client_limit: () =>
    new ApiError('CONCURRENCY_LIMIT', {
      message: "This client's network has reached its limit of concurrent sessions in this project.",
      headers: retryLater,
    }),
};

export interface Connection {
  sessionId: string;
  projectId: string;
  runtimeId: string;
  /** The client's network; without it `concurrentSessionsPerClient` does not count the session. */
  client: string | undefined;
}

/**
 * Makes a session active for a runtime whose client presented a valid token. The concurrency limits are exact across all service processes.
 */
export async function connectSession(
  { changes, log, counts, onStatus }: ChangeDeps,
  connection: Connection,
  requestId: string,
): Promise<Session> {
  const connected = await changes.connect(connection);
  if (connected.outcome !== 'active') throw refusals[connected.outcome]();
  const { sessionId, runtimeId, projectId } = connection;
  counts.connected('active');
  log.info({ reqId: requestId, sessionId, runtimeId }, 'a session has begun');
  onStatus?.(sessionId, 'active', projectId);
  return fromRow(connected.session);
}

export const end: Statement = {
  name: 'end_session',
  text: 'SELECT session, ended_now, added FROM end_session($1, $2, $3)',
};

interface EndRow {
  session: SessionRow;
  ended_now: boolean;
  added: number;
}

/** The result of ending a session: the session, and whether this call ended it. */
export interface Ended {
  session: Session;
  isNew: boolean;
  /** Seconds that were metered by this call. */
  added: number;
}

/** Ends a session. Later calls change nothing and return the same record. `undefined` if the session does not exist. */
export async function endSession(
  deps: ChangeDeps,
  projectId: string,
  sessionId: string,
  reason: EndReason,
  requestId: string,
): Promise<Session | undefined> {
  const row = await deps.changes.end({ projectId, sessionId, reason });
  if (row.outcome === 'unknown') return undefined;
  const session = fromRow(row.session);
  noteEnd(deps, { session, isNew: row.outcome === 'ended_now', added: row.added }, requestId);
  return session;
}

/** Ends a session in a transaction of the admin API. Call `noteEnd` when it is committed. */
export async function endSessionIn(tx: Transaction, projectId: string, sessionId: string): Promise<Ended> {
  const [row] = await tx.query<EndRow>(end, [projectId, sessionId, 'api_request']);
  if (row === undefined) throw new ApiError('SESSION_NOT_FOUND');
  return { session: fromRow(row.session), isNew: row.ended_now, added: row.added };
}

/** Counts and logs the end of a session, once. */
export function noteEnd(
  { log, counts, onStatus }: LifecycleDeps,
  { session, isNew, added }: Ended,
  requestId: string,
): void {
  if (!isNew) return;
  counts.metered(added);
  log.info({ reqId: requestId, sessionId: session.id, reason: session.endReason }, 'a session has ended');
  onStatus?.(session.id, 'ended', session.projectId);
}

export const report: Statement = {
  name: 'report_sessions',
  text: 'SELECT kind, session_id, reason, added FROM report_sessions($1, $2)',
};

/** Stores a runtime's report about its sessions. Returns the sessions that the runtime must end. */
export async function reportSessions(
  { database, log, counts, onStatus }: LifecycleDeps,
  { runtimeId, sessions }: Report,
  requestId: string,
): Promise<ReportAnswer> {
  if (sessions.length === 0) return { end: [] };
  type Row =
    | { kind: 'ended' | 'over'; session_id: string; reason: EndReason }
    | { kind: 'total'; added: string | number };
  const rows = await database.query<Row>('everyday', report, [runtimeId, JSON.stringify(sessions)]);
  const over: ReportAnswer['end'] = [];
  for (const row of rows) {
    if (row.kind === 'total') counts.metered(Number(row.added));
    else if (row.kind === 'over') over.push({ sessionId: row.session_id, reason: row.reason });
    else {
      const { session_id: sessionId, reason } = row;
      log.info({ reqId: requestId, sessionId, runtimeId, reason }, 'a session has ended');
      onStatus?.(sessionId, 'ended');
    }
  }
  return { end: over };
}

export const countActive: Statement = {
  name: 'count_active_sessions',
  text: 'SELECT coalesce(sum(active), 0)::integer AS active FROM active_counts',
};

/** Number of active sessions in all projects and processes. */
export async function activeSessions(database: Database): Promise<number> {
  const [row] = await database.query<{ active: number }>('admin', countActive, []);
  return row?.active ?? 0;
}
