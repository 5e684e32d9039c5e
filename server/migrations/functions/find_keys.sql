-- Look-ups of many rows at once, by names that anybody can make up. As functions with planner settings of their own, so
-- that each is found through its index, whatever the planner believes of tables that nobody has analysed. Times come as
-- JSON has them, and so do not depend on the settings of the database.
CREATE OR REPLACE FUNCTION find_keys(digits text[])
RETURNS TABLE (hash text, key json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.hash, to_json(k) FROM unnest(digits) AS w(hash) JOIN api_keys k ON k.hash = decode(w.hash, 'hex');
END $$;
