-- Deletes sessions that ended, or expired without a client, before before_time. Ids sort by the time of the mint, so only ids
-- between after_id (the last one scanned) and before_id (the first one of that time) are scanned, at most `most` per call. Sessions
-- with an idempotency record are kept, because a replay needs them; so are sessions that usage_days does not contain yet. Locked rows are
-- skipped. Experiences remember that they were launched.
--
-- EXECUTE plans the statements at each call, for the current statistics. The setting plan_cache_mode = force_custom_plan would do that, too,
-- but it also applies to the foreign keys: four of their queries would be planned for every deleted row.
CREATE OR REPLACE FUNCTION delete_old_sessions(after_id text, before_id text, before_time timestamptz, most integer)
RETURNS TABLE (looked_at integer, last_id text, deleted integer)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  candidates text[];
  removed integer;
BEGIN
  EXECUTE $q$
    SELECT ARRAY(SELECT s.id FROM sessions s
                  WHERE s.id > $1
                    AND s.id < least($2 COLLATE "C", coalesce((SELECT p.below FROM usage_progress p), ''))
                  ORDER BY s.id LIMIT $3)
  $q$ INTO candidates USING after_id, before_id, most;
  EXECUTE $q$
    WITH old AS MATERIALIZED (
      SELECT s.id FROM sessions s
       WHERE s.id = ANY ($1)
         AND (s.ended_at < $2 OR s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at < $2)
         AND NOT EXISTS (SELECT 1 FROM idempotency_keys k WHERE k.session_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM uncounted_sessions u WHERE u.session_id = s.id)
       ORDER BY s.id FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM sessions s USING old o WHERE s.id = o.id RETURNING s.experience_id
    ), marked AS (
      UPDATE experiences e SET was_launched = true
       WHERE NOT e.was_launched AND e.id IN (SELECT g.experience_id FROM gone g)
    )
    SELECT count(*)::integer FROM gone
  $q$ INTO removed USING candidates, before_time;
  RETURN QUERY SELECT cardinality(candidates), candidates[cardinality(candidates)], removed;
END $$;
