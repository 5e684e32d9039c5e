-- The published revision of an experience, apart from its newest one; versions, by which conflicting edits are found; who changed what.

ALTER TABLE projects
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  -- Whether the latest change was made with a project file or in the console, and the label of the file that was applied last.
  ADD COLUMN managed_by text NOT NULL DEFAULT 'file',
  ADD COLUMN source text,
  ADD COLUMN updated_by text NOT NULL DEFAULT 'file',
  -- When the deletion of the project was requested. From then on the project is hidden, and housekeeping deletes its rows.
  ADD COLUMN deleted_at timestamptz(3),
  ADD CONSTRAINT projects_managed_by_known CHECK (managed_by IN ('file', 'console'));

ALTER TABLE experiences
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  -- Null while the experience is not published.
  ADD COLUMN published_revision integer,
  -- The slug of the published revision. Slug and title of the experience are those of its newest revision.
  ADD COLUMN published_slug text COLLATE "C",
  -- When something changed that the catalog shows; updated_at also counts drafts.
  ADD COLUMN live_at timestamptz(3),
  ADD COLUMN description text,
  ADD COLUMN taxonomy json,
  ADD COLUMN managed_by text NOT NULL DEFAULT 'file',
  ADD COLUMN source text,
  ADD COLUMN updated_by text NOT NULL DEFAULT 'file',
  ADD CONSTRAINT experiences_managed_by_known CHECK (managed_by IN ('file', 'console'));

ALTER TABLE revisions
  ADD COLUMN created_by text NOT NULL DEFAULT 'file',
  ADD COLUMN note text;

-- Until now the newest revision of a published experience was the published one.
UPDATE experiences SET live_at = updated_at,
  published_revision = CASE WHEN status = 'published' THEN latest_revision END,
  published_slug = CASE WHEN status = 'published' THEN slug END;

-- A table with pending checks cannot be altered.
SET CONSTRAINTS ALL IMMEDIATE;

ALTER TABLE experiences
  ALTER COLUMN live_at SET NOT NULL,
  ADD CONSTRAINT experiences_published_revision_exists
    FOREIGN KEY (id, published_revision) REFERENCES revisions (experience_id, number) DEFERRABLE INITIALLY DEFERRED,
  ADD CONSTRAINT experiences_published_has_revision CHECK ((status = 'published') = (published_revision IS NOT NULL)),
  ADD CONSTRAINT experiences_published_has_slug CHECK ((published_revision IS NULL) = (published_slug IS NULL)),
  ADD CONSTRAINT experiences_published_slug_in_project UNIQUE (project_id, published_slug) DEFERRABLE INITIALLY DEFERRED;

--> include frozen/0003_complete_project.sql
--> include frozen/0003_complete_experience.sql

CREATE TRIGGER projects_complete BEFORE UPDATE ON projects
  FOR EACH ROW EXECUTE FUNCTION complete_project();
CREATE TRIGGER experiences_complete BEFORE INSERT OR UPDATE ON experiences
  FOR EACH ROW EXECUTE FUNCTION complete_experience();

-- Revisions are still never changed; a revision without a note can be given one. They are deleted only together with their experience, by
-- a transaction that says so.
DROP TRIGGER revisions_immutable ON revisions;
CREATE TRIGGER revisions_immutable BEFORE UPDATE ON revisions
  FOR EACH ROW WHEN (OLD.note IS NOT NULL OR NEW.note IS NULL OR to_jsonb(OLD) - 'note' <> to_jsonb(NEW) - 'note')
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER revisions_kept BEFORE DELETE ON revisions
  FOR EACH ROW WHEN (current_setting('session_launch.deleting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
