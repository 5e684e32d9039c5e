-- Ends a session, once: later calls change nothing. Returns the session, whether this call ended it, and the seconds that it added. Locks
-- in the order of connect_client.
--
-- The time since the last report is metered as well, because later reports are ignored: nothing if the runtime reported that it waits
-- for the client, otherwise at most one report interval. A longer time without a report means that the runtime and the client's
-- connection have ended.
CREATE OR REPLACE FUNCTION end_session(project text, wanted text, reason text)
RETURNS TABLE (session json, ended_now boolean, added integer)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  report_interval CONSTANT interval := '5 seconds';
  found_session sessions;
  live active_sessions;
  unreported interval := '0';
  metered integer := 0;
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
  IF live.session_id IS NOT NULL THEN
    IF NOT live.waiting THEN
      unreported := greatest(least(now() - live.reported_at, report_interval), '0');
    END IF;
    metered := least(
      floor(extract(epoch FROM live.reported_at - live.started_at + unreported)),
      live.seconds + floor(extract(epoch FROM unreported)));
  END IF;
  -- The clock may have been set back since the session began.
  UPDATE sessions s
     SET ended_at = greatest(now(), s.created_at, s.started_at + make_interval(secs => metered)),
         end_reason = reason, seconds = metered
   WHERE s.id = wanted
    RETURNING * INTO found_session;
  RETURN QUERY SELECT to_json(found_session), true, metered - coalesce(live.seconds, 0);
END $$;
