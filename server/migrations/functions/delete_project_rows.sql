-- Deletes up to `most` rows of a project from each table that has a project_id and is not named below, so that tables that are added
-- later need no change here. Sessions and experiences are deleted in their own order; the audit is kept. Returns the number of rows.
CREATE OR REPLACE FUNCTION delete_project_rows(project text, most integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  owned text;
  removed integer;
  total integer := 0;
BEGIN
  FOR owned IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND a.attname = 'project_id' AND NOT a.attisdropped
       AND c.relname NOT IN ('audit', 'experiences', 'sessions', 'active_sessions')
     ORDER BY c.relname
  LOOP
    EXECUTE format('DELETE FROM %I WHERE ctid IN (SELECT ctid FROM %I WHERE project_id = $1 LIMIT $2)', owned, owned)
      USING project, most;
    GET DIAGNOSTICS removed = ROW_COUNT;
    total := total + removed;
  END LOOP;
  RETURN total;
END $$;
