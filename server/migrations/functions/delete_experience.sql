-- Deletes an experience with its revisions. Returns false, and deletes nothing, if a session of it was ever launched. Checks this before the
-- lock too, so that a refused deletion does not block mints. The caller should end the transaction soon: see lock_out_mints.
CREATE OR REPLACE FUNCTION delete_experience(project text, wanted text) RETURNS boolean
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  FOR attempt IN 1..2 LOOP
    IF EXISTS (SELECT 1 FROM experiences e WHERE e.id = wanted AND e.was_launched)
       OR EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = project AND s.experience_id = wanted) THEN
      RETURN false;
    END IF;
    IF attempt = 1 THEN
      PERFORM lock_out_mints();
    END IF;
  END LOOP;
  DELETE FROM revisions r WHERE r.experience_id = wanted;
  DELETE FROM experiences e WHERE e.id = wanted;
  RETURN true;
END $$;
