import type { Status } from '@session-launch/contract/session';
import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';
import type { Session } from './session.ts';
import { type FoundRow, fromFound } from './session-row.ts';

export interface SessionFilter {
  experienceId?: string;
  status?: Status;
  source?: Session['source'];
  userId?: string;
  livemode?: boolean;
  origin?: string;
  locale?: string;
  /** Minted at this time or later. */
  from?: Date;
  /** Minted before this time. */
  to?: Date;
}

export interface SessionPage {
  sessions: Session[];
  nextCursor?: string;
}

/** Longer than the maximum token lifetime plus clock skew. */
const longestTokenMs = 2 * 3_600_000 + 60_000;
/** Maximum sessions that one page examines if some filters have no index. */
const maxExamined = 2_000;

/** A filter that is null does not apply. The conditions of each status agree with `sessionRecord`. */
const conditions = (experienceId: string, source: string, userId: string, status: string) => `
  (${experienceId}::text IS NULL OR s.experience_id = ${experienceId})
  AND (${source}::text IS NULL OR s.source = ${source})
  AND (${userId}::text IS NULL OR s.user_id = ${userId})
  AND CASE ${status}::text
        WHEN 'created' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at > $5 AND s.id > $6
        WHEN 'expired' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at <= $5
        WHEN 'active' THEN s.started_at IS NOT NULL AND s.ended_at IS NULL
        WHEN 'ended' THEN s.ended_at IS NOT NULL
        ELSE true END`;

/**
 * Reads at most $2 sessions through an index, by the one filter among $8 to $11 that is not null, and returns those that match the other
 * filters. The last row has the id that was reached, if $2 sessions were read. The statement has no name, so PostgreSQL plans it for the
 * values of each call and drops filters that do not apply.
 */
export const list: Statement = {
  text: `
    WITH examined AS MATERIALIZED (
      SELECT s.id, (${conditions('$12', '$13', '$14', '$15')}
                    AND ($16::boolean IS NULL OR s.livemode = $16)
                    AND ($17::text IS NULL OR s.given->>'origin' = $17)
                    AND ($18::text IS NULL OR s.given->>'locale' = $18)) AS matches
        FROM sessions s
       WHERE s.project_id = $1 AND ($3::text IS NULL OR s.id < $3) AND ($4::text IS NULL OR s.id >= $4)
         AND ${conditions('$8', '$9', '$10', '$11')}
       ORDER BY s.id DESC LIMIT $2
    ), found AS MATERIALIZED (
      SELECT e.id FROM examined e WHERE e.matches ORDER BY e.id DESC LIMIT $7
    )
    SELECT (SELECT to_json(s) FROM sessions s WHERE s.id = f.id) AS session,
           (SELECT a.seconds FROM active_sessions a WHERE a.session_id = f.id) AS seconds, NULL AS reached
      FROM found f
    UNION ALL
    SELECT NULL, NULL, min(e.id) FROM examined e HAVING count(*) = $2`,
};

/** Newest first. Ids sort by time, so an id is the cursor of the next page. A page may be short although it has a cursor. */
export async function listSessions(
  database: Database,
  projectId: string,
  filter: SessionFilter,
  { limit, cursor, at }: { limit: number; cursor: string | undefined; at: Date },
): Promise<SessionPage> {
  const { livemode, origin, locale, from, to } = filter;
  const bounds = [cursor, to && idAt(to)].filter((id) => id !== undefined);
  const { indexed, others } = divided(filter);
  const examined = [...others, livemode, origin, locale];
  const hasOthers = examined.some((value) => value !== undefined);
  const values = [
    projectId,
    hasOthers ? Math.max(maxExamined, limit + 1) : limit + 1,
    bounds.sort()[0],
    from && idAt(from),
    at,
    // Only recent sessions can wait for a client, so older rows are skipped.
    firstIdAt('ses', at.getTime() - longestTokenMs),
    limit + 1,
    ...indexed,
    ...examined,
  ].map((value) => value ?? null);
  type Row = (FoundRow & { reached: null }) | { session: null; reached: string };
  const rows = await database.query<Row>('admin', list, values);
  const found = rows.flatMap((row) => (row.session === null ? [] : [fromFound(row)]));
  const sessions = found.slice(0, limit);
  const nextCursor =
    found.length > limit ? sessions.at(-1)?.id : rows.find(({ reached }) => reached)?.reached;
  return { sessions, ...(nextCursor ? { nextCursor } : {}) };
}

function idAt(time: Date): string {
  return firstIdAt('ses', Math.max(0, time.getTime()));
}

type Values = (string | undefined)[];

/** Experience, source, user and status: the one whose index selects the fewest sessions, and the others. */
function divided({ experienceId, source, userId, status }: SessionFilter): {
  indexed: Values;
  others: Values;
} {
  const all = [experienceId, source, userId, status];
  const isOpen = status === 'active' || status === 'created';
  const order = isOpen ? [3, 2, 0, 1] : [2, 0, 3, 1];
  const chosen = order.find((index) => all[index] !== undefined);
  return {
    indexed: all.map((value, index) => (index === chosen ? value : undefined)),
    others: all.map((value, index) => (index === chosen ? undefined : value)),
  };
}
