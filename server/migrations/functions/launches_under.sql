-- The existing launches of these claims, and whether each was requested with the same body.
CREATE OR REPLACE FUNCTION launches_under(claims claim_to_record[])
RETURNS TABLE (outcome text, n integer, used integer, quota integer, prior json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT CASE WHEN k.fingerprint = c.fingerprint THEN 'replayed' ELSE 'conflict' END,
           c.n, CASE WHEN c.project_id IS NOT NULL THEN coalesce(d.used, 0) END, p.sessions_per_day, to_json(s)
      FROM unnest(claims) AS c
      JOIN idempotency_keys k ON k.hash = c.hash AND k.expires_at > now()
      JOIN sessions s ON s.id = k.session_id
      LEFT JOIN projects p ON p.id = c.project_id
      LEFT JOIN daily_sessions d ON d.project_id = c.project_id AND d.day = c.day;
END $$;
