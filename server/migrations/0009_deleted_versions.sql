-- The last version of each deleted experience and project. One that is created again under the same id continues to count from it, so that
-- a change based on the deleted one is refused.
CREATE TABLE deleted_versions (
  id text COLLATE "C" PRIMARY KEY,
  version integer NOT NULL
);

--> include frozen/0009_keep_version.sql
--> include frozen/0009_continue_version.sql

CREATE TRIGGER experiences_version_kept AFTER DELETE ON experiences
  FOR EACH ROW EXECUTE FUNCTION keep_version();
CREATE TRIGGER projects_version_kept AFTER DELETE ON projects
  FOR EACH ROW EXECUTE FUNCTION keep_version();
CREATE TRIGGER experiences_version_continued BEFORE INSERT ON experiences
  FOR EACH ROW EXECUTE FUNCTION continue_version();
CREATE TRIGGER projects_version_continued BEFORE INSERT ON projects
  FOR EACH ROW EXECUTE FUNCTION continue_version();
