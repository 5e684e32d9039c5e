-- Deletes sessions that were over before a time: ended, or expired without a client. Ids are ordered by the time of the mint,
-- so only those between the last one looked at and the first one of that time are looked at, so many at a time. Sessions that
-- an idempotency record names stay: a replay needs them. Passes over what somebody else is about to change.
CREATE OR REPLACE FUNCTION delete_old_sessions(after_id text, before_id text, before_time timestamptz, most integer)
RETURNS TABLE (looked_at integer, last_id text, deleted integer)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  candidates text[];
  removed integer;
BEGIN
  candidates := ARRAY(SELECT s.id FROM sessions s WHERE s.id > after_id AND s.id < before_id ORDER BY s.id LIMIT most);
  WITH old AS MATERIALIZED (
    SELECT s.id FROM sessions s
     WHERE s.id = ANY (candidates)
       AND (s.ended_at < before_time OR s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at < before_time)
       AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.session_id = s.id)
     ORDER BY s.id FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM sessions s USING old o WHERE s.id = o.id RETURNING 1
  )
  SELECT count(*)::integer INTO removed FROM gone;
  RETURN QUERY SELECT cardinality(candidates), candidates[cardinality(candidates)], removed;
END $$;
