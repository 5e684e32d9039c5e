-- Whether the runtime waits for the client of a session, and the client's network: both as the runtime told.
ALTER TABLE active_sessions
  ADD COLUMN waiting boolean NOT NULL DEFAULT false,
  ADD COLUMN client text;

-- For the limit below. A report changes neither column, so it still updates no index.
CREATE INDEX active_sessions_by_client ON active_sessions (project_id, client) WHERE client IS NOT NULL;

ALTER TABLE projects
  ADD COLUMN concurrent_sessions_per_client integer,
  ADD CONSTRAINT projects_limit_per_client_not_negative CHECK (concurrent_sessions_per_client >= 0);
