-- Version 0.1.0 calls this; later versions call end_lost_sessions, which compares no clocks. Ends sessions whose last report is older than
-- `silence`, with its seconds and time. Returns at most `most` sessions, skips locked ones, and locks in the order of change_sessions.
CREATE OR REPLACE FUNCTION end_silent_sessions(silence interval, most integer)
RETURNS TABLE (session_id text)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  silent text[];
BEGIN
  silent := ARRAY(SELECT a.session_id FROM active_sessions a WHERE a.reported_at < now() - silence
                   ORDER BY a.session_id LIMIT most);
  silent := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (silent) ORDER BY s.id FOR UPDATE SKIP LOCKED);
  IF silent = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH those AS MATERIALIZED (
      SELECT a.session_id FROM active_sessions a WHERE a.session_id = ANY (silent) AND a.reported_at < now() - silence
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
