import type { EndReason, Status } from '@session-launch/contract/session';
import { and, desc, eq, gt, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { firstIdAt } from '../ids.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database, Orm, Statement } from '../store/database.ts';
import { sessions } from '../store/schema.ts';
import type { Session } from './session.ts';
import { fromRow, type SessionRow } from './session-row.ts';

export interface SessionFilter {
  experienceId?: string;
  status?: Status;
  source?: Session['source'];
  userId?: string;
}

interface Wanted {
  projectId: string;
  sessionId: string;
}

const find: Statement = { name: 'find_sessions', text: 'SELECT n, session FROM find_sessions($1)' };

/** Reads sessions by their ids; what is asked while a query is under way shares the next one. */
export class SessionReader {
  readonly #wanted: Batcher<Wanted, Session | undefined>;

  constructor(database: Database) {
    this.#wanted = new Batcher(256, async (wanted) => {
      const asked = JSON.stringify(wanted.map((w, n) => ({ n, ...w })));
      const rows = await database.query<{ n: number; session: SessionRow }>('everyday', find, [asked]);
      const found = new Array<Session | undefined>(wanted.length);
      for (const row of rows) found[row.n] = fromRow(row.session);
      return found;
    });
  }

  find(projectId: string, sessionId: string): Promise<Session | undefined> {
    return this.#wanted.submit({ projectId, sessionId });
  }
}

async function findSession(orm: Orm, projectId: string, sessionId: string): Promise<Session | undefined> {
  const [found] = await orm
    .select()
    .from(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.projectId, projectId)));
  return found as Session | undefined;
}

/**
 * The first call sets `endedAt` and the reason; every later one leaves them and returns the same record. A session that runs is
 * metered up to now: what its runtime says afterwards changes nothing any more.
 */
export async function endSession(
  orm: Orm,
  projectId: string,
  sessionId: string,
  reason: EndReason,
): Promise<Session | undefined> {
  const [ended] = await orm
    .update(sessions)
    .set({
      endedAt: sql`greatest(now(), ${sessions.createdAt}, ${sessions.startedAt})`,
      endReason: reason,
      seconds: sql`CASE WHEN ${sessions.startedAt} IS NULL THEN 0 ELSE least(
        floor(extract(epoch FROM greatest(now(), ${sessions.startedAt}) - ${sessions.startedAt})),
        ${sessions.seconds} + floor(extract(epoch FROM greatest(now(), ${sessions.reportedAt}) - ${sessions.reportedAt})))::integer END`,
    })
    .where(and(eq(sessions.id, sessionId), eq(sessions.projectId, projectId), isNull(sessions.endedAt)))
    .returning();
  return (ended as Session | undefined) ?? findSession(orm, projectId, sessionId);
}

/** The tokens of sessions that were minted earlier than this have expired, whatever the configuration. */
const longestTokenMs = 7_200_000;

const inStatus: Record<Status, () => SQL[]> = {
  created: () => [
    isNull(sessions.startedAt),
    isNull(sessions.endedAt),
    gt(sessions.expiresAt, new Date()),
    // Only the newest can be in this state, and ids tell the time: the others need not be looked at.
    gt(sessions.id, firstIdAt('ses', Date.now() - longestTokenMs - 60_000)),
  ],
  expired: () => [isNull(sessions.startedAt), isNull(sessions.endedAt), lte(sessions.expiresAt, new Date())],
  active: () => [isNotNull(sessions.startedAt), isNull(sessions.endedAt)],
  ended: () => [isNotNull(sessions.endedAt)],
};

/** Newest first: ids are time-ordered, so the id of the last row is where the next page starts. */
export async function listSessions(
  orm: Orm,
  projectId: string,
  filter: SessionFilter,
  limit: number,
  before?: string,
): Promise<Session[]> {
  const conditions = [eq(sessions.projectId, projectId)];
  if (before !== undefined) conditions.push(lt(sessions.id, before));
  if (filter.experienceId !== undefined) conditions.push(eq(sessions.experienceId, filter.experienceId));
  if (filter.source !== undefined) conditions.push(eq(sessions.source, filter.source));
  if (filter.userId !== undefined) conditions.push(eq(sessions.userId, filter.userId));
  if (filter.status !== undefined) conditions.push(...inStatus[filter.status]());
  const found = await orm
    .select()
    .from(sessions)
    .where(and(...conditions))
    .orderBy(desc(sessions.id))
    .limit(limit);
  return found as Session[];
}
