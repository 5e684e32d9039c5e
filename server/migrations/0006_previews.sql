-- Links to talk to one revision of an experience, drafts included.

CREATE TABLE previews (
  id text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the code; the code itself is never stored.
  hash bytea NOT NULL,
  experience_id text COLLATE "C" NOT NULL REFERENCES experiences (id) ON DELETE CASCADE,
  revision integer NOT NULL,
  locale text,
  secondary_locale text,
  max_sessions integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- Sessions that were started.
  sessions integer NOT NULL DEFAULT 0,
  -- The current minute of the rate limit, from its first session, and the sessions in it.
  minute_began_at timestamptz(3),
  minute_sessions integer NOT NULL DEFAULT 0,
  CONSTRAINT previews_hash UNIQUE (hash),
  CONSTRAINT previews_id_format CHECK (id ~ '^pvw_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT previews_hash_length CHECK (octet_length(hash) = 32),
  CONSTRAINT previews_sessions_within_max CHECK (sessions BETWEEN 0 AND max_sessions)
);
CREATE INDEX previews_by_experience ON previews (experience_id, id);
CREATE INDEX previews_by_expiry ON previews (expires_at);

-- NOT VALID: enforced for new rows, without a scan of the table. Existing rows fulfil the narrower constraint that this replaces.
ALTER TABLE sessions
  DROP CONSTRAINT sessions_source_known,
  ADD CONSTRAINT sessions_source_known CHECK (source IN ('server', 'browser', 'public', 'preview')) NOT VALID;
