-- Ends one session in the transaction of its caller, as change_sessions does: once; later calls change nothing. Returns the session, whether
-- this call ended it, and the seconds that it added. The previous version calls this for all ends by an API.
CREATE OR REPLACE FUNCTION end_session(project text, wanted text, reason text)
RETURNS TABLE (session json, ended_now boolean, added integer)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  RETURN QUERY
    SELECT c.session, c.outcome = 'ended_now', c.added
      FROM change_sessions(ARRAY[ROW (wanted, project, 1, 1, NULL, NULL, NULL, reason)::session_change], ARRAY[project], false, NULL) c;
END $$;
