-- Counts of sessions per revision, and the pictures that revisions name.

-- Sessions per revision, previews included, of the sessions that roll_up_usage has counted for their revision. All others are counted when
-- the revisions are read: those with an id from usage_progress.below on, and the late ones in uncounted_sessions.
CREATE TABLE revision_counts (
  project_id text COLLATE "C" NOT NULL,
  experience_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  sessions bigint NOT NULL,
  PRIMARY KEY (experience_id, revision),
  CONSTRAINT revision_counts_not_negative CHECK (sessions >= 0)
);
-- For the deletion of a project.
CREATE INDEX revision_counts_by_project ON revision_counts (project_id);

-- Sessions with smaller ids are in revision_counts, or late in uncounted_sessions. Equal to `below`, except while sessions that were rolled
-- up before this table existed are still being counted.
ALTER TABLE usage_progress ADD COLUMN revisions_below text COLLATE "C" NOT NULL DEFAULT '';

-- Whether revision_counts does not contain the session either, because it was recorded below usage_progress.next.
ALTER TABLE uncounted_sessions ADD COLUMN is_late boolean NOT NULL DEFAULT false;
CREATE INDEX uncounted_sessions_late ON uncounted_sessions (session_id) WHERE is_late;

-- The paths of pictures in the document of a revision. A revision without a row has not been searched yet.
CREATE TABLE revision_pictures (
  experience_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  paths text[] NOT NULL,
  PRIMARY KEY (experience_id, revision),
  FOREIGN KEY (experience_id, revision) REFERENCES revisions (experience_id, number) ON DELETE CASCADE
);

--> include frozen/0013_pictures_in.sql
--> include frozen/0013_note_pictures.sql

-- Runs in the transaction that writes the revision, also for processes of the previous version.
CREATE TRIGGER revisions_pictures_noted AFTER INSERT ON revisions
  FOR EACH ROW EXECUTE FUNCTION note_pictures();
