-- Looks up many rows at once. A function with its own planner settings, so that each row is found through its index even if the
-- table has no statistics. The seconds of an active session are in a separate column.
CREATE OR REPLACE FUNCTION find_sessions(wanted json)
RETURNS TABLE (n integer, session json, seconds integer)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.n, to_json(s), a.seconds
      FROM json_to_recordset(wanted) AS w(n integer, "projectId" text, "sessionId" text)
      JOIN sessions s ON s.id = w."sessionId" AND s.project_id = w."projectId"
      LEFT JOIN active_sessions a ON a.session_id = s.id;
END $$;
