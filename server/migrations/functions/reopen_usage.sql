-- Called by change_sessions when a session below usage_progress.next becomes active: moves a session that usage_days already contains, with
-- no seconds, to uncounted_sessions. The lock waits for a running roll-up, and holds the next one back until this transaction ends.
CREATE OR REPLACE FUNCTION reopen_usage(connected sessions) RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  counted_below text COLLATE "C";
BEGIN
  SELECT p.below INTO counted_below FROM usage_progress p WHERE p.is_only FOR SHARE;
  -- The roll-up will come to this session and see that it is active.
  IF connected.id >= counted_below THEN
    RETURN;
  END IF;
  INSERT INTO uncounted_sessions VALUES (connected.id) ON CONFLICT DO NOTHING;
  IF FOUND AND connected.source <> 'preview' THEN
    UPDATE usage_days d SET sessions = d.sessions - 1
     WHERE d.project_id = connected.project_id AND d.experience_id = connected.experience_id
       AND d.day = (connected.created_at AT TIME ZONE 'UTC')::date;
  END IF;
END $$;
