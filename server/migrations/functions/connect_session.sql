-- Makes a session active, once, whoever asks and however often: outcome is active (with the session), unknown, connected,
-- ended, or limit when as many sessions of its project are active as it allows. The counter of the project is locked before
-- it is looked at, so that the limit is exact across processes.
CREATE OR REPLACE FUNCTION connect_session(wanted text, runtime text)
RETURNS TABLE (outcome text, session json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  found sessions;
  allowed integer;
  running integer;
BEGIN
  SELECT * INTO found FROM sessions s WHERE s.id = wanted;
  IF found.id IS NULL THEN
    RETURN QUERY SELECT 'unknown', NULL::json;
    RETURN;
  END IF;
  IF found.started_at IS NULL AND found.ended_at IS NULL THEN
    SELECT p.concurrent_sessions INTO allowed FROM projects p WHERE p.id = found.project_id;
    IF allowed IS NOT NULL THEN
      INSERT INTO active_sessions VALUES (found.project_id, 0) ON CONFLICT DO NOTHING;
      SELECT a.active INTO running FROM active_sessions a WHERE a.project_id = found.project_id FOR UPDATE;
    END IF;
    IF allowed IS NULL OR running < allowed THEN
      UPDATE sessions s
         SET started_at = greatest(now(), s.created_at), reported_at = greatest(now(), s.created_at), runtime_id = runtime
       WHERE s.id = wanted AND s.started_at IS NULL AND s.ended_at IS NULL
      RETURNING s.* INTO found;
      IF FOUND THEN
        RETURN QUERY SELECT 'active', to_json(found);
        RETURN;
      END IF;
    END IF;
    -- Somebody was faster, or there is no room.
    SELECT * INTO found FROM sessions s WHERE s.id = wanted;
  END IF;
  RETURN QUERY SELECT CASE WHEN found.ended_at IS NOT NULL THEN 'ended'
                           WHEN found.started_at IS NOT NULL THEN 'connected'
                           ELSE 'limit' END, NULL::json;
END $$;
