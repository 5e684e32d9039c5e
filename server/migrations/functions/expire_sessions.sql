-- Writes the event session.expired for sessions to which no client has connected in time, of projects whose webhooks list it. Looks at up to
-- `most` sessions whose time ended at least ten seconds ago: a connect that was in time may still be in flight. Skips locked ones. Returns
-- how many it has dealt with.
CREATE OR REPLACE FUNCTION expire_sessions(most integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  due text[];
  held text[];
  done integer;
BEGIN
  due := ARRAY(SELECT x.session_id FROM session_expiries x WHERE x.expires_at < now() - interval '10 seconds'
                ORDER BY x.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
  IF due = '{}' THEN
    RETURN 0;
  END IF;
  held := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (due) ORDER BY s.id FOR UPDATE SKIP LOCKED);
  INSERT INTO outbox (project_id, type, subject)
    SELECT s.project_id, 'session.expired', s.id FROM sessions s
     WHERE s.id = ANY (held) AND s.started_at IS NULL AND s.ended_at IS NULL
       AND EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = s.project_id AND 'session.expired' = ANY (w.events))
     ORDER BY s.expires_at, s.id;
  DELETE FROM session_expiries x
   WHERE x.session_id = ANY (due)
     AND (x.session_id = ANY (held) OR NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = x.session_id));
  GET DIAGNOSTICS done = ROW_COUNT;
  RETURN done;
END $$;
