-- Does the next step of deleting the experiences of a project whose sessions have been deleted: up to most_revisions old revisions or, when
-- none is left, up to most_experiences experiences. Returns whether the project had any experience before.
CREATE OR REPLACE FUNCTION delete_project_experiences(project text, most_experiences integer, most_revisions integer)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
  some_ids text[];
BEGIN
  some_ids := ARRAY(SELECT e.id FROM experiences e WHERE e.project_id = project ORDER BY e.id LIMIT most_experiences);
  IF some_ids = '{}' THEN
    RETURN false;
  END IF;
  PERFORM lock_out_mints();
  -- A mint that was being written when the project was deleted: its session is deleted first.
  IF EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = project) THEN
    RETURN true;
  END IF;
  DELETE FROM revisions WHERE (experience_id, number) IN (
    SELECT r.experience_id, r.number FROM experiences e JOIN revisions r ON r.experience_id = e.id
     WHERE e.project_id = project AND r.number <> e.latest_revision AND r.number IS DISTINCT FROM e.published_revision
     LIMIT most_revisions);
  IF NOT FOUND THEN
    DELETE FROM revisions r WHERE r.experience_id = ANY (some_ids);
    DELETE FROM experiences e WHERE e.id = ANY (some_ids);
  END IF;
  RETURN true;
END $$;
