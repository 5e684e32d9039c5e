-- Notes the pictures that a new revision names.
CREATE OR REPLACE FUNCTION note_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO revision_pictures (experience_id, revision, paths)
    VALUES (NEW.experience_id, NEW.number, pictures_in(NEW.runtime))
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
