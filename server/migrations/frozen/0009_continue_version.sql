-- Counts the version of a new experience or project from the last version of a deleted one with the same id.
CREATE OR REPLACE FUNCTION continue_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := NEW.version + coalesce((SELECT d.version FROM deleted_versions d WHERE d.id = NEW.id), 0);
  RETURN NEW;
END $$;
