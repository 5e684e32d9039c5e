-- The project of a session in uncounted_sessions: reads of one project do not look up those of all others.

-- Null only if the session has been deleted.
ALTER TABLE uncounted_sessions ADD COLUMN project_id text COLLATE "C";
-- Subqueries, so that the sessions are looked up by their ids.
UPDATE uncounted_sessions u SET project_id = (SELECT s.project_id FROM sessions s WHERE s.id = u.session_id);
CREATE INDEX uncounted_sessions_by_project ON uncounted_sessions (project_id, is_late, session_id);

--> include frozen/0019_complete_uncounted.sql

-- Also completes the rows of a function that was replaced while it ran.
CREATE TRIGGER uncounted_sessions_completed BEFORE INSERT ON uncounted_sessions
  FOR EACH ROW EXECUTE FUNCTION complete_uncounted();
