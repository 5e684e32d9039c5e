-- For each origin, an experience that lists it, if there is one. The index can only return a bitmap of all experiences that list an
-- origin, which may be very many; so the experience found by the previous look-up is checked first.
CREATE OR REPLACE FUNCTION listed_origins(asked json)
RETURNS TABLE (origin text, experience_id text)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.origin, coalesce(
             (SELECT e.id FROM experiences e WHERE e.id = w.before AND e.allowed_origins && w.entries),
             (SELECT e.id FROM experiences e WHERE e.allowed_origins && w.entries LIMIT 1))
      FROM json_to_recordset(asked) AS w(origin text, entries text[], before text);
END $$;
