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
/** Bytes of `given` after which a page ends: parsing them costs the engine some 80 ns each. */
const maxBytesRead = 1024 * 1024;
/** Greater than every id of a session. */
const aboveAllIds = 'ses`';

/** The columns before `id` of an index, their values, and the predicate of a partial index. */
interface IndexedBy {
  columns: string;
  values: string;
  predicate?: string;
}

/**
 * Walks from session to session, newest first, and shows those that match the filters $8 to $14; a null does not apply. Ends after $5
 * sessions, after $6 shown ones, or after $7 bytes of `given`, which is read for the sessions that are shown, and to filter rows by origin
 * and locale that were stored without these columns. The last row has the id that was reached, if there may be further sessions.
 *
 * Each step reads one row. Its condition compares all columns of the index with the row before, and its order names all of them, so that no
 * other index returns the rows in this order: the planner cannot choose a plan that reads more sessions, with any statistics.
 */
const walk = ({ columns, values, predicate = 'true' }: IndexedBy): string => `
  WITH RECURSIVE walk (id, is_shown, examined, shown, bytes) AS (
    SELECT $2::text COLLATE "C", false, 0, 0, 0
    UNION ALL
    SELECT s.id, s.is_shown, w.examined + 1, w.shown + s.is_shown::integer,
           w.bytes + CASE WHEN s.is_shown OR s.is_parsed THEN octet_length(s.given::text) ELSE 0 END
      FROM walk w
     CROSS JOIN LATERAL (
       SELECT c.id, c.given, c.is_candidate AND c.is_parsed AS is_parsed,
              CASE WHEN NOT c.is_candidate THEN false
                   WHEN c.is_parsed THEN ($13::text IS NULL OR coalesce(c.given->>'origin' = $13, false))
                                         AND ($14::text IS NULL OR coalesce(c.given->>'locale' = $14, false))
                   ELSE ($13::text IS NULL OR coalesce(c.origin = $13, false)) AND ($14::text IS NULL OR c.locale = $14)
              END AS is_shown
         FROM (
           SELECT s.id, s.given, s.origin, s.locale, s.locale IS NULL AND coalesce($13::text, $14) IS NOT NULL AS is_parsed,
                  ($8::text IS NULL OR s.experience_id = $8) AND ($9::text IS NULL OR s.source = $9)
                  AND ($10::text IS NULL OR coalesce(s.user_id = $10, false)) AND ($12::boolean IS NULL OR s.livemode = $12)
                  -- Agrees with \`sessionRecord\`.
                  AND CASE $11::text
                        WHEN 'created' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at > $4
                        WHEN 'expired' THEN s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at <= $4
                        WHEN 'active' THEN s.started_at IS NOT NULL AND s.ended_at IS NULL
                        WHEN 'ended' THEN s.ended_at IS NOT NULL
                        ELSE true END AS is_candidate
             FROM (
               SELECT * FROM sessions s
                WHERE (${columns}, s.id) < (${values}, w.id) AND (${columns}, s.id) >= (${values}, $3::text) AND ${predicate}
                ORDER BY ${columns.replaceAll(',', ' DESC,')} DESC, s.id DESC LIMIT 1) s
           OFFSET 0) c
       OFFSET 0) s
     WHERE w.examined < $5 AND w.shown < $6 AND w.bytes < $7
  )
  SELECT (SELECT to_json(s) FROM sessions s WHERE s.id = w.id) AS session,
         (SELECT a.seconds FROM active_sessions a WHERE a.session_id = w.id) AS seconds, NULL AS reached
    FROM walk w WHERE w.is_shown
  UNION ALL
  SELECT NULL, NULL, w.id FROM walk w WHERE w.examined >= $5 OR w.bytes >= $7`;

const ofProject = { columns: 's.project_id', values: '$1' };

export const listAll: Statement = { text: walk(ofProject) };
export const listByExperience: Statement = {
  text: walk({
    columns: 's.project_id, s.experience_id',
    values: '$1, $8::text',
  }),
};
export const listBySource: Statement = {
  text: walk({ columns: 's.project_id, s.source', values: '$1, $9::text' }),
};
export const listByUser: Statement = {
  text: walk({
    columns: 's.project_id, s.user_id',
    values: '$1, $10::text',
    predicate: 's.user_id IS NOT NULL',
  }),
};
export const listWaiting: Statement = {
  text: walk({
    ...ofProject,
    predicate: 's.started_at IS NULL AND s.ended_at IS NULL',
  }),
};
export const listActive: Statement = {
  text: walk({
    ...ofProject,
    predicate: 's.started_at IS NOT NULL AND s.ended_at IS NULL',
  }),
};
export const listEnded: Statement = { text: walk({ ...ofProject, predicate: 's.ended_at IS NOT NULL' }) };

/** Newest first. Ids sort by time, so an id is the cursor of the next page. A page may be short although it has a cursor. */
export async function listSessions(
  database: Database,
  projectId: string,
  filter: SessionFilter,
  { limit, cursor, at }: { limit: number; cursor: string | undefined; at: Date },
): Promise<SessionPage> {
  const { experienceId, source, userId, status, livemode, origin, locale, from, to } = filter;
  const above = [cursor ?? aboveAllIds, to === undefined ? aboveAllIds : idAt(to)].sort()[0];
  // Only recent sessions can wait for a client.
  const oldest = status === 'created' ? firstIdAt('ses', at.getTime() - longestTokenMs) : '';
  const downTo = [oldest, from === undefined ? '' : idAt(from)].sort()[1];
  const values = [
    projectId,
    above,
    downTo,
    at,
    Math.max(maxExamined, limit + 1),
    limit + 1,
    maxBytesRead,
    experienceId ?? null,
    source ?? null,
    userId ?? null,
    status ?? null,
    livemode ?? null,
    origin ?? null,
    locale ?? null,
  ];
  type Row = (FoundRow & { reached: null }) | { session: null; reached: string };
  const rows = await database.query<Row>('admin', statementFor(filter), values);
  const found = rows.flatMap((row) => (row.session === null ? [] : [fromFound(row)]));
  const sessions = found.slice(0, limit);
  const nextCursor =
    found.length > limit ? sessions.at(-1)?.id : rows.find(({ reached }) => reached)?.reached;
  return { sessions, ...(nextCursor ? { nextCursor } : {}) };
}

/** The statement for the filter whose index selects the fewest sessions. */
function statementFor({ experienceId, source, userId, status }: SessionFilter): Statement {
  if (status === 'active') return listActive;
  if (status === 'created') return listWaiting;
  if (userId !== undefined) return listByUser;
  if (experienceId !== undefined) return listByExperience;
  if (status === 'ended') return listEnded;
  if (status === 'expired') return listWaiting;
  return source === undefined ? listAll : listBySource;
}

function idAt(time: Date): string {
  return firstIdAt('ses', Math.max(0, time.getTime()));
}
