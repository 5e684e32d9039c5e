-- An experience that lists each of these origins, where there is one. A bitmap of all that do is the only way into the
-- index; so the one that listed an origin before is looked at first, as an origin may stand on very many lists.
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
