import type { UsageDay } from '@session-launch/contract/admin/usage';
import type { Database, Statement, Transaction } from '../store/database.ts';

export const selectBelow: Statement = {
  name: 'usage_below',
  text: 'SELECT below FROM usage_progress WHERE is_only',
};

/**
 * Sessions with ids from this one on are not rolled up. Statements that aggregate them take it as a parameter and are planned for its value,
 * so that the planner estimates their number. They also read the watermark itself, because it may have advanced since.
 */
export async function readBelow(query: Transaction['query']): Promise<string> {
  return (await query<{ below: string }>(selectBelow))[0]?.below ?? '';
}

/**
 * Maximum sessions that one read aggregates: above the watermark, and in uncounted_sessions, where each takes longer. More exist in a
 * project with more than 160 mints a second, after an upgrade, and while a long transaction holds up the roll-up.
 */
export const usageBounds = { recent: 50_000, entered: 20_000 };

/**
 * One statement, so it is a consistent snapshot: each session is either in usage_days or aggregated here, up to the bound. Planned at each
 * call, for the value of `readBelow`. Returns at least one row, because each row says whether the bound was reached.
 */
export const select: Statement = {
  text: `
    WITH progress AS MATERIALIZED (
      SELECT coalesce((SELECT p.below FROM usage_progress p WHERE p.is_only), '') AS below
    ), recent AS MATERIALIZED (
      SELECT (s.created_at AT TIME ZONE 'UTC')::date AS day, s.experience_id, s.source, count(*) AS sessions,
             sum(coalesce(a.seconds, s.seconds)) AS seconds
        FROM (SELECT * FROM sessions s
               WHERE s.project_id = $1 AND s.id >= $5 AND s.id >= (SELECT below FROM progress)
               ORDER BY s.id DESC LIMIT $6) s
        LEFT JOIN active_sessions a ON a.session_id = s.id
       GROUP BY 1, 2, 3
    ), entered AS MATERIALIZED (
      SELECT (s.created_at AT TIME ZONE 'UTC')::date AS day, s.experience_id, s.source, count(*) AS sessions,
             sum(coalesce(a.seconds, s.seconds)) AS seconds
        -- In no order: a sort would read all of them.
        FROM (SELECT u.session_id FROM uncounted_sessions u
               WHERE u.project_id = $1 AND u.session_id < (SELECT below FROM progress) LIMIT $7) u
        -- OFFSET 0: by their ids, and not by reading all sessions of the project. A session may have been deleted.
        LEFT JOIN LATERAL (SELECT s.* FROM sessions s WHERE s.id = u.session_id OFFSET 0) s ON true
        LEFT JOIN active_sessions a ON a.session_id = u.session_id
       GROUP BY 1, 2, 3
    ), parts AS (
      SELECT d.day, d.experience_id, d.sessions, d.seconds FROM usage_days d
       WHERE d.project_id = $1 AND d.day BETWEEN $2::date AND $3::date
      UNION ALL
      SELECT s.day, s.experience_id, s.sessions, s.seconds FROM (TABLE recent UNION ALL TABLE entered) s
       WHERE s.source <> 'preview' AND s.day BETWEEN $2::date AND $3::date
    ), days AS (
      SELECT day, experience_id, sum(sessions)::double precision AS sessions, sum(seconds)::double precision AS seconds
        FROM parts GROUP BY day, experience_id HAVING sum(sessions) > 0
       ORDER BY day, experience_id COLLATE "C" LIMIT $4
    )
    SELECT to_char(d.day, 'YYYY-MM-DD') AS day, d.experience_id AS "experienceId", d.sessions, d.seconds, c."isCounting"
      FROM (SELECT (SELECT sum(sessions) >= $6 FROM recent) IS TRUE OR (SELECT sum(sessions) >= $7 FROM entered) IS TRUE AS "isCounting") c
      LEFT JOIN days d ON true
     ORDER BY d.day, d.experience_id COLLATE "C"`,
};

export interface ReadUsage {
  days: UsageDay[];
  /** More sessions are not rolled up than one read aggregates: the numbers are lower bounds. */
  isCounting: boolean;
}

/** The field of a response whose numbers may be lower bounds. */
export function countingOf(isCounting: boolean): { counting?: true } {
  return isCounting ? { counting: true } : {};
}

type Row = (UsageDay | { [F in keyof UsageDay]: null }) & { isCounting: boolean };

/**
 * Sessions and connected seconds per day of the mint and experience, sorted; days from `from` to `to`, both included, at most `limit` rows.
 */
export async function readUsage(
  database: Database,
  projectId: string,
  { from, to }: { from: string; to: string },
  limit?: number,
  { recent, entered } = usageBounds,
): Promise<ReadUsage> {
  const query: Transaction['query'] = (...asked) => database.query('admin', ...asked);
  const values = [projectId, from, to, limit ?? null, await readBelow(query), recent, entered];
  const rows = await query<Row>(select, values);
  const days = rows.flatMap(({ isCounting: _, ...day }) => (day.day === null ? [] : [day]));
  return { days, isCounting: rows[0]!.isCounting };
}
