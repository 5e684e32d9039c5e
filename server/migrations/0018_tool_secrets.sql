-- The secret with which calls of the tools of a project are signed, and the one before it, which also signs for a while. Both are sealed.
CREATE TABLE tool_secrets (
  project_id text COLLATE "C" PRIMARY KEY REFERENCES projects (id),
  sealed text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  old_sealed text,
  old_expires_at timestamptz(3),
  CONSTRAINT tool_secrets_old_expires CHECK ((old_sealed IS NULL) = (old_expires_at IS NULL))
);
