-- Whether a launch exists for each claim. Reads no session row, so it never waits for a lock on one.
CREATE OR REPLACE FUNCTION known_claims(claims json)
RETURNS TABLE (n integer)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT i.n FROM json_to_recordset(claims) AS i(n integer, hash bytea)
      JOIN idempotency_keys k ON k.hash = i.hash AND k.expires_at > now();
END $$;
