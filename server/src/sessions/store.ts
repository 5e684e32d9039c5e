import type { Status } from '@session-launch/contract/session';
import { and, desc, eq, getTableColumns, gt, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import { firstIdAt } from '../primitives/ids.ts';
import { Batcher } from '../store/cache/batcher.ts';
import type { Database, Orm, Statement } from '../store/database.ts';
import { activeSessions, sessions } from '../store/schema.ts';
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

const find: Statement = { name: 'find_sessions', text: 'SELECT n, session, seconds FROM find_sessions($1)' };

/** Reads sessions by id; reads that arrive while a query is in flight share the next one. */
export class SessionReader {
  readonly #wanted: Batcher<Wanted, Session | undefined>;

  constructor(database: Database) {
    this.#wanted = new Batcher(256, async (wanted) => {
      const asked = JSON.stringify(wanted.map((w, n) => ({ n, ...w })));
      const rows = await database.query<{ n: number; session: SessionRow; seconds: number | null }>(
        'everyday',
        find,
        [asked],
      );
      const found = new Array<Session | undefined>(wanted.length);
      for (const { n, session, seconds } of rows)
        found[n] = fromRow(seconds === null ? session : { ...session, seconds });
      return found;
    });
  }

  find(projectId: string, sessionId: string): Promise<Session | undefined> {
    return this.#wanted.submit({ projectId, sessionId });
  }
}

/** Longer than the maximum token lifetime plus clock skew. */
const longestTokenMs = 2 * 3_600_000 + 60_000;

/** SQL conditions for each state at a given time; they agree with `sessionRecord`. */
const inStatus: Record<Status, (at: Date) => SQL[]> = {
  created: (at) => [
    isNull(sessions.startedAt),
    isNull(sessions.endedAt),
    gt(sessions.expiresAt, at),
    // Only recent sessions can be in this state, and ids are time-ordered, so older rows are skipped.
    gt(sessions.id, firstIdAt('ses', at.getTime() - longestTokenMs)),
  ],
  expired: (at) => [isNull(sessions.startedAt), isNull(sessions.endedAt), lte(sessions.expiresAt, at)],
  active: () => [isNotNull(sessions.startedAt), isNull(sessions.endedAt)],
  ended: () => [isNotNull(sessions.endedAt)],
};

/** Newest first. Ids are time-ordered, so the id of the last row is the cursor of the next page. */
export async function listSessions(
  orm: Orm,
  projectId: string,
  filter: SessionFilter,
  page: { limit: number; before: string | undefined; at: Date },
): Promise<Session[]> {
  const conditions = [eq(sessions.projectId, projectId)];
  if (page.before !== undefined) conditions.push(lt(sessions.id, page.before));
  if (filter.experienceId !== undefined) conditions.push(eq(sessions.experienceId, filter.experienceId));
  if (filter.source !== undefined) conditions.push(eq(sessions.source, filter.source));
  if (filter.userId !== undefined) conditions.push(eq(sessions.userId, filter.userId));
  if (filter.status !== undefined) conditions.push(...inStatus[filter.status](page.at));
  const found = await orm
    .select({
      ...getTableColumns(sessions),
      seconds: sql<number>`coalesce((
        SELECT ${activeSessions.seconds} FROM ${activeSessions} WHERE ${activeSessions.sessionId} = ${sessions.id}
      ), ${sessions.seconds})`,
    })
    .from(sessions)
    .where(and(...conditions))
    .orderBy(desc(sessions.id))
    .limit(page.limit);
  return found as Session[];
}
