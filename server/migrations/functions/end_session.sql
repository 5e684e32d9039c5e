-- Ends a session, once: later calls change nothing. Answers with the session, whoever ended it, and whether this call did.
-- A session that is active is metered up to now, since what its runtime says afterwards does not count any more. Locks in the
-- order of connect_session.
CREATE OR REPLACE FUNCTION end_session(project text, wanted text, reason text)
RETURNS TABLE (session json, ended_now boolean, added integer)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  found_session sessions;
  live active_sessions;
  over_at timestamptz(3);
BEGIN
  SELECT * INTO found_session FROM sessions s WHERE s.id = wanted AND s.project_id = project;
  IF FOUND AND found_session.ended_at IS NULL THEN
    SELECT * INTO found_session FROM sessions s WHERE s.id = wanted FOR UPDATE;
  END IF;
  IF found_session.id IS NULL THEN
    RETURN;
  END IF;
  IF found_session.ended_at IS NOT NULL THEN
    RETURN QUERY SELECT to_json(found_session), false, 0;
    RETURN;
  END IF;

  DELETE FROM active_sessions a WHERE a.session_id = wanted RETURNING * INTO live;
  over_at := greatest(now(), found_session.created_at, live.reported_at);
  UPDATE sessions s
     SET ended_at = over_at, end_reason = reason,
         seconds = CASE WHEN live.session_id IS NULL THEN 0 ELSE least(
           floor(extract(epoch FROM over_at - live.started_at)),
           live.seconds + floor(extract(epoch FROM over_at - live.reported_at))) END
   WHERE s.id = wanted
    RETURNING * INTO found_session;
  RETURN QUERY SELECT to_json(found_session), true, found_session.seconds - coalesce(live.seconds, 0);
END $$;
