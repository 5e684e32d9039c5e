-- Makes a session active, once, whoever asks and however often: outcome is active (with the session), unknown, connected,
-- ended, or limit when as many sessions of its project are active as it allows.
--
-- Everything that begins or ends sessions locks them in this order: the session, its row in active_sessions, the counter of
-- its project; several of a kind by their ids. So nobody waits in a circle. The counter is locked before it is looked at,
-- which makes the limit exact across processes.
CREATE OR REPLACE FUNCTION connect_session(wanted text, runtime text)
RETURNS TABLE (outcome text, session json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  found_session sessions;
  allowed integer;
  running integer;
BEGIN
  SELECT * INTO found_session FROM sessions s WHERE s.id = wanted;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown', NULL::json;
    RETURN;
  END IF;
  -- A crowd with one token waits only as long as nobody was first.
  IF found_session.started_at IS NULL AND found_session.ended_at IS NULL THEN
    SELECT * INTO found_session FROM sessions s WHERE s.id = wanted FOR UPDATE;
  END IF;
  IF found_session.ended_at IS NOT NULL OR found_session.started_at IS NOT NULL THEN
    RETURN QUERY SELECT CASE WHEN found_session.ended_at IS NULL THEN 'connected' ELSE 'ended' END, NULL::json;
    RETURN;
  END IF;

  SELECT p.concurrent_sessions INTO allowed FROM projects p WHERE p.id = found_session.project_id;
  IF allowed IS NOT NULL THEN
    SELECT c.active INTO running FROM active_counts c WHERE c.project_id = found_session.project_id FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO active_counts VALUES (found_session.project_id, 0) ON CONFLICT DO NOTHING;
      SELECT c.active INTO running FROM active_counts c WHERE c.project_id = found_session.project_id FOR UPDATE;
    END IF;
    IF running >= allowed THEN
      RETURN QUERY SELECT 'limit', NULL::json;
      RETURN;
    END IF;
  END IF;

  UPDATE sessions s SET started_at = greatest(now(), s.created_at), runtime_id = runtime WHERE s.id = wanted
    RETURNING * INTO found_session;
  INSERT INTO active_sessions (session_id, project_id, runtime_id, started_at, reported_at)
    VALUES (wanted, found_session.project_id, runtime, found_session.started_at, found_session.started_at);
  RETURN QUERY SELECT 'active', to_json(found_session);
END $$;
