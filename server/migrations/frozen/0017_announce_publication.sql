-- Writes the event experience.published. As a trigger, because several statements publish, also those of the version before.
CREATE OR REPLACE FUNCTION announce_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_sequence_last_value('webhooks_in_use') IS NOT NULL THEN
    INSERT INTO outbox (project_id, type, subject, revision, at)
      SELECT NEW.project_id, 'experience.published', NEW.id, NEW.published_revision, NEW.updated_at
       WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = NEW.project_id AND 'experience.published' = ANY (w.events));
  END IF;
  RETURN NULL;
END $$;
