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
 * One statement, so it is a consistent snapshot: each session is either in usage_days or aggregated here. Planned at each call, for the
 * value of `readBelow`.
 */
export const select: Statement = {
  text: `
    WITH progress AS MATERIALIZED (
      SELECT coalesce((SELECT p.below FROM usage_progress p WHERE p.is_only), '') AS below
    ), uncounted AS (
      SELECT s.id, s.experience_id, s.created_at, s.seconds FROM sessions s
       WHERE s.project_id = $1 AND s.id >= $5 AND s.id >= (SELECT below FROM progress) AND s.source <> 'preview'
      UNION ALL
      SELECT s.id, s.experience_id, s.created_at, s.seconds
        FROM uncounted_sessions u
        -- OFFSET 0: by their ids, and not by reading all sessions of the project.
        CROSS JOIN LATERAL (SELECT s.* FROM sessions s WHERE s.id = u.session_id OFFSET 0) s
       WHERE s.project_id = $1 AND s.id < (SELECT below FROM progress) AND s.source <> 'preview'
    ), parts AS (
      SELECT d.day, d.experience_id, d.sessions, d.seconds FROM usage_days d
       WHERE d.project_id = $1 AND d.day BETWEEN $2::date AND $3::date
      UNION ALL
      SELECT (s.created_at AT TIME ZONE 'UTC')::date, s.experience_id, 1, coalesce(a.seconds, s.seconds)
        FROM uncounted s LEFT JOIN active_sessions a ON a.session_id = s.id
       WHERE (s.created_at AT TIME ZONE 'UTC')::date BETWEEN $2::date AND $3::date
    )
    SELECT to_char(day, 'YYYY-MM-DD') AS day, experience_id AS "experienceId",
           sum(sessions)::double precision AS sessions, sum(seconds)::double precision AS seconds
      FROM parts GROUP BY parts.day, experience_id HAVING sum(sessions) > 0
     ORDER BY parts.day, experience_id COLLATE "C" LIMIT $4`,
};

/** Sessions and connected seconds per day of the mint and experience, sorted; days from `from` to `to`, both included, at most `limit` rows. */
export async function readUsage(
  database: Database,
  projectId: string,
  { from, to }: { from: string; to: string },
  limit?: number,
): Promise<UsageDay[]> {
  const query: Transaction['query'] = (...asked) => database.query('admin', ...asked);
  return query(select, [projectId, from, to, limit ?? null, await readBelow(query)]);
}
