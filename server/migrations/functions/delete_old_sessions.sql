-- Deletes sessions that ended, or expired without a client, before before_time. Ids sort by the time of the mint, so only ids
-- between after_id (the last one scanned) and before_id (the first one of that time) are scanned, at most `most` per call. Sessions
-- with an idempotency record are kept, because a replay needs them; so are sessions that usage_days or
-- revision_counts does not contain yet. Locked rows are skipped. Experiences remember that they were launched.
--
-- The transaction does not wait until its deletions are on disk or on a synchronous standby: deletions that a crash of the server takes
-- back are repeated.
--
-- The settings leave only one possible plan for each statement, so each connection plans it once. Planning every batch would be slow after
-- many deletions: to estimate a range of ids, the planner skips all deleted ids at the beginning of the index.
CREATE OR REPLACE FUNCTION delete_old_sessions(after_id text, before_id text, before_time timestamptz, most integer)
RETURNS TABLE (looked_at integer, last_id text, deleted integer)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_sort = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  candidates text[];
  removed integer;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  candidates := ARRAY(
    SELECT s.id FROM sessions s
     WHERE s.id > after_id
       AND s.id < least(before_id COLLATE "C", coalesce((SELECT least(p.below, p.revisions_below) FROM usage_progress p WHERE p.is_only), ''))
     ORDER BY s.id LIMIT most);
  WITH old AS MATERIALIZED (
    SELECT s.id FROM sessions s
     WHERE s.id = ANY (candidates)
       AND (s.ended_at < before_time OR s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at < before_time)
       AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.session_id = s.id)
       AND NOT EXISTS (SELECT 1 FROM uncounted_sessions u WHERE u.session_id = s.id)
     ORDER BY s.id FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM sessions s USING old o WHERE s.id = o.id RETURNING s.experience_id
  ), marked AS (
    UPDATE experiences e SET was_launched = true
     WHERE NOT e.was_launched AND e.id IN (SELECT g.experience_id FROM gone g)
  )
  SELECT count(*) INTO removed FROM gone;
  RETURN QUERY SELECT cardinality(candidates), candidates[cardinality(candidates)], removed;
END $$;
