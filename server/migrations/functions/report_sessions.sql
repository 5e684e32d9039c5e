-- What a runtime says of its sessions. Only sessions that this runtime connected and that are active change, and their seconds
-- only grow, up to the time that has passed: a report that is repeated, late or absurd stores nothing wrong.
--
-- Answers with a row for each session that this report has ended (kind ended), one for each that was over before and that the
-- runtime has to close (kind over), with the reason; and with the seconds that were added, in total. Locks in the order of
-- connect_session: a session that goes on needs nothing but its row in active_sessions.
--
-- Planned at each call: a plan made while the tables were empty goes through all of them, and is kept until somebody analyzes them.
-- Sessions that are over are looked up one by one, by id: the index of ended sessions looks cheap to the planner as long as its
-- statistics know of few, and every report would read all of it.
CREATE OR REPLACE FUNCTION report_sessions(runtime text, reports json)
RETURNS TABLE (kind text, session_id text, reason text, added bigint)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  ending text[] := ARRAY(SELECT r."sessionId" FROM json_to_recordset(reports) AS r("sessionId" text, ended text)
                          WHERE r.ended IS NOT NULL);
BEGIN
  IF ending <> '{}' THEN
    PERFORM 1 FROM sessions s
      WHERE s.id = ANY (ending) AND s.runtime_id = runtime AND s.ended_at IS NULL
      ORDER BY s.id FOR UPDATE;
  END IF;

  RETURN QUERY
    WITH said AS MATERIALIZED (
      SELECT r."sessionId" AS id, max(r.ended) AS ended,
             floor(greatest(least(max(r.seconds), 2147483647), 0))::integer AS seconds
        FROM json_to_recordset(reports) AS r("sessionId" text, seconds double precision, ended text)
       GROUP BY r."sessionId"
    ), mine AS MATERIALIZED (
      SELECT a.session_id, r.ended, a.seconds AS before, greatest(now(), a.reported_at)::timestamptz(3) AS at,
             greatest(a.seconds, least(r.seconds,
               floor(extract(epoch FROM greatest(now(), a.reported_at)::timestamptz(3) - a.started_at))::integer)) AS seconds
        FROM said r JOIN active_sessions a ON a.session_id = r.id
       WHERE a.runtime_id = runtime
       ORDER BY a.session_id FOR UPDATE OF a
    ), not_active AS MATERIALIZED (
      SELECT r.id, r.ended FROM said r
       WHERE NOT EXISTS (SELECT 1 FROM active_sessions a WHERE a.session_id = r.id)
    ), goes_on AS (
      UPDATE active_sessions a SET seconds = m.seconds, reported_at = m.at
        FROM mine m WHERE a.session_id = m.session_id AND m.ended IS NULL
    ), gone AS (
      DELETE FROM active_sessions a USING mine m WHERE a.session_id = m.session_id AND m.ended IS NOT NULL
    ), ended AS (
      UPDATE sessions s SET ended_at = m.at, end_reason = m.ended, seconds = m.seconds
        FROM mine m WHERE s.id = m.session_id AND m.ended IS NOT NULL
      RETURNING s.id, s.end_reason
    )
    SELECT 'ended', e.id, e.end_reason, 0::bigint FROM ended e
    UNION ALL
    SELECT 'over', r.id, s.end_reason, 0::bigint
      FROM not_active r
      CROSS JOIN LATERAL (SELECT s.runtime_id, s.end_reason FROM sessions s WHERE s.id = r.id LIMIT 1) s
     WHERE s.runtime_id = runtime AND s.end_reason IS NOT NULL AND r.ended IS DISTINCT FROM s.end_reason
    UNION ALL
    SELECT 'total', NULL, NULL, coalesce(sum(m.seconds - m.before), 0)::bigint FROM mine m;
END $$;
