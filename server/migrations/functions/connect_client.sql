-- Makes a session active, once, however many callers try. The outcome is one of:
--
--   active         with the session
--   unknown        there is no such session
--   connected      a client has connected before
--   ended          the session has ended, or its project is being deleted
--   limit          the project has reached concurrentSessions
--   client_limit   the client's network has reached concurrentSessionsPerClient
--
-- A session without a network counts for the first limit only.
--
-- All functions that begin or end sessions lock in this order, which rules out deadlocks: the session, its row in active_sessions, the
-- counter of its project; several rows of a table by id. Both limits are compared after the counter is locked, so they are exact across
-- processes.
CREATE OR REPLACE FUNCTION connect_client(wanted text, runtime text, network text)
RETURNS TABLE (outcome text, session json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  found_session sessions;
  allowed integer;
  allowed_per_client integer;
  is_deleted boolean;
  running integer;
BEGIN
  SELECT * INTO found_session FROM sessions s WHERE s.id = wanted;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown', NULL::json;
    RETURN;
  END IF;
  -- Attempts to connect an active or ended session do not wait for its lock.
  IF found_session.started_at IS NULL AND found_session.ended_at IS NULL THEN
    SELECT * INTO found_session FROM sessions s WHERE s.id = wanted FOR UPDATE;
  END IF;
  IF found_session.ended_at IS NOT NULL OR found_session.started_at IS NOT NULL THEN
    RETURN QUERY SELECT CASE WHEN found_session.ended_at IS NULL THEN 'connected' ELSE 'ended' END, NULL::json;
    RETURN;
  END IF;

  SELECT p.concurrent_sessions, p.concurrent_sessions_per_client, p.deleted_at IS NOT NULL
    INTO allowed, allowed_per_client, is_deleted
    FROM projects p WHERE p.id = found_session.project_id;
  IF is_deleted THEN
    RETURN QUERY SELECT 'ended', NULL::json;
    RETURN;
  END IF;
  IF network IS NULL THEN
    allowed_per_client := NULL;
  END IF;
  IF allowed IS NOT NULL OR allowed_per_client IS NOT NULL THEN
    SELECT c.active INTO running FROM active_counts c WHERE c.project_id = found_session.project_id FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO active_counts VALUES (found_session.project_id, 0) ON CONFLICT DO NOTHING;
      SELECT c.active INTO running FROM active_counts c WHERE c.project_id = found_session.project_id FOR UPDATE;
    END IF;
    IF running >= allowed THEN
      RETURN QUERY SELECT 'limit', NULL::json;
      RETURN;
    END IF;
    IF allowed_per_client IS NOT NULL THEN
      SELECT count(*) INTO running FROM active_sessions a
       WHERE a.project_id = found_session.project_id AND a.client = network;
      IF running >= allowed_per_client THEN
        RETURN QUERY SELECT 'client_limit', NULL::json;
        RETURN;
      END IF;
    END IF;
  END IF;

  UPDATE sessions s SET started_at = greatest(now(), s.created_at), runtime_id = runtime WHERE s.id = wanted
    RETURNING * INTO found_session;
  INSERT INTO active_sessions (session_id, project_id, runtime_id, started_at, reported_at, client)
    VALUES (wanted, found_session.project_id, runtime, found_session.started_at, found_session.started_at, network);
  IF extract(epoch FROM found_session.created_at) * 1000 < pg_sequence_last_value('usage_announced')
     AND wanted < (SELECT p.next FROM usage_progress p WHERE p.is_only) THEN
    PERFORM reopen_usage(found_session);
  END IF;
  RETURN QUERY SELECT 'active', to_json(found_session);
END $$;
