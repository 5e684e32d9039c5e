-- The previous version calls this: connects one session, with the outcomes of change_sessions, or `unknown` if there is no such session.
CREATE OR REPLACE FUNCTION connect_client(wanted text, runtime text, network text)
RETURNS TABLE (outcome text, session json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
AS $$
DECLARE
  owner text;
BEGIN
  SELECT s.project_id INTO owner FROM sessions s WHERE s.id = wanted;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown', NULL::json;
    RETURN;
  END IF;
  RETURN QUERY
    SELECT c.outcome, c.session
      FROM change_sessions(ARRAY[ROW (wanted, owner, 1, 1, runtime, network, NULL, NULL)::session_change], ARRAY[owner], false, NULL) c;
END $$;
