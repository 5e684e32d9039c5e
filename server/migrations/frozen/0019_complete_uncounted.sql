-- Sets the project of a session that is entered in uncounted_sessions.
CREATE OR REPLACE FUNCTION complete_uncounted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.project_id := (SELECT s.project_id FROM sessions s WHERE s.id = NEW.session_id);
  RETURN NEW;
END $$;
