-- Sets the columns of an experience that follow from others, so that every writer, also a process of the version before, keeps them
-- consistent: the published revision and its slug, the time of the last change that the catalog shows, and the version.
CREATE OR REPLACE FUNCTION complete_experience() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> 'published' THEN
    NEW.published_revision := NULL;
    NEW.published_slug := NULL;
  ELSE
    -- Processes of the version before do not know the column, and publish each revision that they write.
    IF TG_OP = 'UPDATE' AND NEW.managed_by = 'file' AND NEW.latest_revision <> OLD.latest_revision
       AND NEW.published_revision = OLD.published_revision THEN
      NEW.published_revision := NEW.latest_revision;
    END IF;
    NEW.published_revision := coalesce(NEW.published_revision, NEW.latest_revision);
    IF NEW.published_revision = NEW.latest_revision THEN
      NEW.published_slug := NEW.slug;
    ELSIF TG_OP = 'INSERT' OR NEW.published_revision IS DISTINCT FROM OLD.published_revision THEN
      SELECT r.slug INTO NEW.published_slug FROM revisions r
       WHERE r.experience_id = NEW.id AND r.number = NEW.published_revision;
    END IF;
  END IF;

  IF TG_OP = 'INSERT' THEN
    NEW.live_at := NEW.updated_at;
  ELSE
    IF (NEW.sort_order, NEW.status, NEW.published_revision, NEW.public, NEW.allowed_origins, NEW.avatar_id, NEW.thumbnail_path,
        NEW.gallery_avatar_image, NEW.gallery_background_image, NEW.description, NEW.taxonomy::jsonb)
       IS DISTINCT FROM
       (OLD.sort_order, OLD.status, OLD.published_revision, OLD.public, OLD.allowed_origins, OLD.avatar_id, OLD.thumbnail_path,
        OLD.gallery_avatar_image, OLD.gallery_background_image, OLD.description, OLD.taxonomy::jsonb)
    THEN
      NEW.live_at := NEW.updated_at;
      NEW.version := OLD.version + 1;
    ELSIF (NEW.latest_revision, NEW.slug, NEW.title) IS DISTINCT FROM (OLD.latest_revision, OLD.slug, OLD.title) THEN
      NEW.version := OLD.version + 1;
    END IF;
  END IF;
  RETURN NEW;
END $$;
