-- Remembers the version of a deleted experience or project.
CREATE OR REPLACE FUNCTION keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_versions (id, version) VALUES (OLD.id, OLD.version)
  ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version;
  RETURN NULL;
END $$;
