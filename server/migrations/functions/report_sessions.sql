-- Stores the report of a runtime about its sessions. Only active sessions that this runtime connected change. Their seconds never
-- decrease and never exceed the elapsed time, so a repeated, late or absurd report stores no wrong value.
--
-- Returns a row for each session that this report has ended (kind ended), one with the reason for each that had ended before and that the
-- runtime has to close (kind over), and the sum of the seconds that were added (kind total). Locks in the order of change_sessions: a
-- session that continues needs only its row in active_sessions.
--
-- The clock of the database may be set back between two reports; now() is then earlier than the last report. How much time has
-- passed since then is unknown, but it is at most the 60 seconds after which a session without a report is ended. started_at in
-- active_sessions is then moved back, so that the difference of the two columns stays the elapsed time, and connected seconds are
-- not cut. A difference below one second is treated as clock skew or rounding.
--
-- Planned at each call: a plan made while the tables were empty scans them completely, and is cached until the tables are analyzed.
-- Ended sessions are looked up one by one, by id: while statistics show few of them, the planner would choose the index of ended
-- sessions, and every report would read all of it.
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
  locked text[];
BEGIN
  IF ending <> '{}' THEN
    locked := ARRAY(
      SELECT s.id FROM sessions s
       WHERE s.id = ANY (ending) AND s.runtime_id = runtime AND s.ended_at IS NULL
       ORDER BY s.id FOR UPDATE);
  END IF;

  RETURN QUERY
    WITH said AS MATERIALIZED (
      SELECT r."sessionId" AS id, max(r.ended) AS ended, bool_and(coalesce(r.waiting, false)) AS waiting,
             floor(greatest(least(max(r.seconds), 2147483647), 0))::integer AS seconds
        FROM json_to_recordset(reports) AS r("sessionId" text, seconds double precision, ended text, waiting boolean)
       GROUP BY r."sessionId"
    ), mine AS MATERIALIZED (
      SELECT a.session_id, r.ended, r.waiting, a.seconds AS before, clock.at, clock.started_at,
             greatest(a.seconds, least(r.seconds, floor(extract(epoch FROM clock.at - clock.started_at))::integer)) AS seconds
        FROM said r JOIN active_sessions a ON a.session_id = r.id
        CROSS JOIN LATERAL (
          SELECT CASE WHEN back THEN now() ELSE greatest(now(), a.reported_at) END::timestamptz(3) AS at,
                 CASE WHEN back THEN now() - (a.reported_at - a.started_at) - interval '60 seconds'
                      ELSE a.started_at END::timestamptz(3) AS started_at
            FROM (SELECT now() < a.reported_at - interval '1 second' AS back) step
        ) clock
       WHERE a.runtime_id = runtime
       ORDER BY a.session_id FOR UPDATE OF a
    ), not_active AS MATERIALIZED (
      SELECT r.id, r.ended FROM said r
       WHERE NOT EXISTS (SELECT 1 FROM active_sessions a WHERE a.session_id = r.id)
    ), goes_on AS (
      UPDATE active_sessions a
         SET seconds = m.seconds, started_at = m.started_at, reported_at = m.at, waiting = m.waiting
        FROM mine m WHERE a.session_id = m.session_id AND m.ended IS NULL
    ), gone AS (
      DELETE FROM active_sessions a USING mine m WHERE a.session_id = m.session_id AND m.ended IS NOT NULL
    ), ended AS (
      UPDATE sessions s
         SET ended_at = greatest(m.at, s.started_at + make_interval(secs => m.seconds)),
             end_reason = m.ended, seconds = m.seconds
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

  -- Those that had not ended when they were locked, and have now.
  IF locked <> '{}' AND pg_sequence_last_value('webhooks_in_use') IS NOT NULL THEN
    INSERT INTO outbox (project_id, type, subject)
      SELECT s.project_id, 'session.ended', s.id FROM sessions s
       WHERE s.id = ANY (locked) AND s.ended_at IS NOT NULL
         AND EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = s.project_id AND 'session.ended' = ANY (w.events))
       ORDER BY s.id;
  END IF;
END $$;
