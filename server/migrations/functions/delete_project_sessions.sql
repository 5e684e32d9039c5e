-- Deletes up to `most` sessions of a project, with their rows in all tables that have a session_id. Sessions that a client was connected
-- to are kept for 15 seconds after their end: until its next report, the runtime must be able to learn that they have ended. Returns the
-- number of deleted sessions, and whether any are left.
CREATE OR REPLACE FUNCTION delete_project_sessions(project text, most integer)
RETURNS TABLE (deleted integer, remain boolean)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
AS $$
DECLARE
  due text[];
  owned text;
BEGIN
  -- Waits for a running roll-up, and holds the next one back until this transaction ends: a roll-up that has read these sessions must not
  -- add their counts after the rows of the project have been deleted.
  PERFORM 1 FROM usage_progress p WHERE p.is_only FOR SHARE;
  due := ARRAY(
    SELECT s.id FROM sessions s
     WHERE s.project_id = project AND (s.started_at IS NULL OR s.ended_at < now() - interval '15 seconds')
     ORDER BY s.id LIMIT most FOR UPDATE SKIP LOCKED);
  IF due <> '{}' THEN
    FOR owned IN
      SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
         AND a.attname = 'session_id' AND NOT a.attisdropped
       ORDER BY c.relname
    LOOP
      EXECUTE format('DELETE FROM %I WHERE session_id = ANY ($1)', owned) USING due;
    END LOOP;
    DELETE FROM sessions s WHERE s.id = ANY (due);
  END IF;
  RETURN QUERY SELECT cardinality(due), EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = project);
END $$;
