-- What a runtime says of its sessions. Only sessions that this runtime connected and that are active change, and they only
-- grow: a report that is repeated, late or absurd stores nothing wrong. Answers with a row for each session of the report that
-- is over, and why, and with one row of totals: how many seconds were added.
CREATE OR REPLACE FUNCTION report_sessions(runtime text, reports json)
RETURNS TABLE (kind text, session_id text, reason text, added bigint)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH said AS (
      SELECT r."sessionId" AS id, max(r.seconds) AS seconds, max(r.ended) AS ended
        FROM json_to_recordset(reports) AS r("sessionId" text, seconds double precision, ended text)
       GROUP BY r."sessionId"
    ), mine AS (
      -- Locked in one order: reports, ends and sweeps of several processes never wait in a circle.
      SELECT s.id, s.seconds AS before, r.ended,
             least(greatest(s.seconds, floor(least(r.seconds, 2147483647))::bigint),
                   floor(extract(epoch FROM greatest(now(), s.started_at) - s.started_at))::bigint)::integer AS seconds
        FROM said r JOIN sessions s ON s.id = r.id
       WHERE s.runtime_id = runtime AND s.started_at IS NOT NULL AND s.ended_at IS NULL
       ORDER BY s.id FOR UPDATE OF s
    ), changed AS (
      UPDATE sessions s
         SET seconds = greatest(s.seconds, m.seconds),
             reported_at = greatest(now(), s.reported_at),
             ended_at = CASE WHEN m.ended IS NOT NULL THEN greatest(now(), s.started_at) END,
             end_reason = m.ended
        FROM mine m WHERE s.id = m.id
      RETURNING s.id, s.seconds - m.before AS added
    )
    SELECT 'over', s.id, s.end_reason, 0::bigint
      FROM said r JOIN sessions s ON s.id = r.id
     WHERE s.runtime_id = runtime AND s.ended_at IS NOT NULL AND r.ended IS NULL
    UNION ALL
    SELECT 'total', NULL, NULL, coalesce(sum(c.added), 0)::bigint FROM changed c;
END $$;
