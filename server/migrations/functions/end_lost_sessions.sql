-- Ends sessions as runtime_lost, with their last reported seconds and time. silent lists pairs of a runtime and a report time, in
-- milliseconds: the sessions of that runtime whose last report has that time are ended. The caller has measured how long ago the report
-- was; the clock of the database is not compared, since it may be set forward or back at any time. Returns at most `most` sessions, skips
-- locked ones, and locks in the order of change_sessions.
CREATE OR REPLACE FUNCTION end_lost_sessions(silent json, most integer)
RETURNS TABLE (session_id text)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
DECLARE
  lost text[];
BEGIN
  lost := ARRAY(
    SELECT a.session_id FROM active_sessions a
      JOIN json_to_recordset(silent) AS w("runtimeId" text, "reportedAt" bigint)
        ON a.runtime_id = w."runtimeId" AND (extract(epoch FROM a.reported_at) * 1000)::bigint = w."reportedAt"
     ORDER BY a.session_id LIMIT most);
  lost := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (lost) ORDER BY s.id FOR UPDATE SKIP LOCKED);
  IF lost = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH those AS MATERIALIZED (
      SELECT a.session_id FROM active_sessions a
       WHERE a.session_id = ANY (lost)
         AND EXISTS (SELECT 1 FROM json_to_recordset(silent) AS w("runtimeId" text, "reportedAt" bigint)
                      WHERE a.runtime_id = w."runtimeId"
                        AND (extract(epoch FROM a.reported_at) * 1000)::bigint = w."reportedAt")
       ORDER BY a.session_id FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM active_sessions a USING those t WHERE a.session_id = t.session_id
      RETURNING a.session_id, a.reported_at, a.seconds
    ), ended AS (
      UPDATE sessions s
         SET ended_at = greatest(g.reported_at, s.started_at + make_interval(secs => g.seconds)),
             end_reason = 'runtime_lost', seconds = g.seconds
        FROM gone g WHERE s.id = g.session_id
      RETURNING s.id, s.project_id
    ), announced AS (
      INSERT INTO outbox (project_id, type, subject)
        SELECT e.project_id, 'session.ended', e.id FROM ended e
         WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = e.project_id AND 'session.ended' = ANY (w.events))
    )
    SELECT e.id FROM ended e;
END $$;
