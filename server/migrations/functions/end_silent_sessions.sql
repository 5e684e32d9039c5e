-- Ends sessions whose runtime has said nothing for a minute, with what it said last. Bounded, and passes over what somebody
-- else is about to change.
CREATE OR REPLACE FUNCTION end_silent_sessions(most integer)
RETURNS TABLE (session_id text)
LANGUAGE plpgsql VOLATILE
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH silent AS (
      SELECT s.id FROM sessions s
       WHERE s.started_at IS NOT NULL AND s.ended_at IS NULL AND s.reported_at < now() - interval '60 seconds'
       ORDER BY s.id LIMIT most FOR UPDATE SKIP LOCKED)
    UPDATE sessions s SET ended_at = s.reported_at, end_reason = 'runtime_lost'
      FROM silent WHERE s.id = silent.id
    RETURNING s.id;
END $$;
