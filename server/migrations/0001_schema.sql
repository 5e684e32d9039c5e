-- The tables of version 0.1.0. Ids sort bytewise on every engine, whatever the locale of the database: hence COLLATE "C".

CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  browser_embeds boolean NOT NULL,
  allowed_origins text[] NOT NULL,
  mints_per_minute_per_client integer,
  mints_per_minute integer,
  sessions_per_day integer,
  concurrent_sessions integer,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT projects_id_format CHECK (id ~ '^prj_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT projects_limits_not_negative
    CHECK (mints_per_minute_per_client >= 0 AND mints_per_minute >= 0 AND sessions_per_day >= 0
       AND concurrent_sessions >= 0)
);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  mode text NOT NULL,
  -- SHA-256 of the whole key; the key itself is never stored.
  hash bytea NOT NULL,
  hint text NOT NULL,
  name text,
  scopes text[] NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  CONSTRAINT api_keys_hash UNIQUE (hash),
  CONSTRAINT api_keys_id_format CHECK (id ~ '^key_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT api_keys_mode_known CHECK (mode IN ('test', 'live')),
  CONSTRAINT api_keys_hash_length CHECK (octet_length(hash) = 32),
  CONSTRAINT api_keys_scopes_known
    CHECK (scopes <@ ARRAY['sessions:create', 'sessions:read', 'catalog:read'] AND cardinality(scopes) > 0)
);
CREATE INDEX api_keys_by_project ON api_keys (project_id, id);

CREATE TABLE experiences (
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  slug text COLLATE "C" NOT NULL,
  title text NOT NULL,
  sort_order integer NOT NULL,
  status text NOT NULL,
  public boolean NOT NULL,
  allowed_origins text[] NOT NULL,
  avatar_id text,
  thumbnail_path text,
  gallery_avatar_image text,
  gallery_background_image text,
  -- The newest revision. While the experience is published, it is the published one.
  latest_revision integer NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- Two experiences may exchange their slugs in one project file: uniqueness is judged when the file is committed.
  CONSTRAINT experiences_slug_in_project UNIQUE (project_id, slug) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT experiences_id_format CHECK (id ~ '^exp_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT experiences_slug_format CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 64),
  CONSTRAINT experiences_status_known CHECK (status IN ('draft', 'published', 'archived')),
  CONSTRAINT experiences_gallery_whole
    CHECK ((gallery_avatar_image IS NULL) = (gallery_background_image IS NULL)),
  CONSTRAINT experiences_revision_positive CHECK (latest_revision >= 1)
);
CREATE INDEX experiences_in_order ON experiences (project_id, sort_order, id);
-- Without the list of pending entries, which every look-up would have to read.
CREATE INDEX experiences_by_origin ON experiences USING gin (allowed_origins) WITH (fastupdate = off);

-- Immutable: rows are inserted, never updated.
CREATE TABLE revisions (
  experience_id text COLLATE "C" NOT NULL REFERENCES experiences (id),
  number integer NOT NULL,
  slug text NOT NULL,
  title text NOT NULL,
  runtime json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (experience_id, number),
  CONSTRAINT revisions_number_positive CHECK (number >= 1)
);
-- Both are written in one transaction, the experience first.
ALTER TABLE experiences ADD CONSTRAINT experiences_latest_revision_exists
  FOREIGN KEY (id, latest_revision) REFERENCES revisions (experience_id, number) DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  -- Experience, revision and project are held by a trigger, once for a batch: see require_revisions.
  project_id text COLLATE "C" NOT NULL,
  experience_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  livemode boolean NOT NULL,
  source text NOT NULL,
  user_id text,
  -- The other inputs of the launch: modes, languages, player, token.
  given json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- Until then the token lets a client connect.
  expires_at timestamptz(3) NOT NULL,
  -- When a client connected, and through which runtime.
  started_at timestamptz(3),
  runtime_id text,
  ended_at timestamptz(3),
  end_reason text,
  -- How long a client was connected, once that is over; until then active_sessions knows.
  seconds integer NOT NULL DEFAULT 0,
  -- No pattern here: it would be the most expensive part of a mint, and only the service makes these ids.
  CONSTRAINT sessions_id_format CHECK (starts_with(id, 'ses_') AND octet_length(id) <= 68),
  CONSTRAINT sessions_source_known CHECK (source IN ('server', 'browser', 'public')),
  CONSTRAINT sessions_token_lives CHECK (expires_at > created_at),
  CONSTRAINT sessions_start_after_mint CHECK (started_at >= created_at),
  CONSTRAINT sessions_start_has_runtime CHECK ((started_at IS NULL) = (runtime_id IS NULL)),
  CONSTRAINT sessions_end_after_start CHECK (ended_at >= created_at AND ended_at >= started_at),
  CONSTRAINT sessions_end_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CONSTRAINT sessions_seconds_fit
    CHECK (seconds = 0 OR seconds > 0 AND coalesce(seconds <= extract(epoch FROM ended_at - started_at), false))
);
CREATE INDEX sessions_by_project ON sessions (project_id, id);
CREATE INDEX sessions_by_experience ON sessions (project_id, experience_id, id);
CREATE INDEX sessions_by_source ON sessions (project_id, source, id);
CREATE INDEX sessions_by_user ON sessions (project_id, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX sessions_waiting ON sessions (project_id, id) WHERE started_at IS NULL AND ended_at IS NULL;
CREATE INDEX sessions_active ON sessions (project_id, id) WHERE started_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX sessions_ended ON sessions (project_id, id) WHERE ended_at IS NOT NULL;

-- What runtimes report of the sessions that are active. It is written every few seconds, so it stands apart from the sessions
-- with their indexes; pages are half empty, so that a row stays where it is. No index holds what a report changes.
CREATE TABLE active_sessions (
  session_id text COLLATE "C" PRIMARY KEY REFERENCES sessions (id),
  project_id text COLLATE "C" NOT NULL,
  runtime_id text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  reported_at timestamptz(3) NOT NULL,
  seconds integer NOT NULL DEFAULT 0,
  CONSTRAINT active_sessions_seconds_fit
    CHECK (seconds >= 0 AND seconds <= extract(epoch FROM reported_at - started_at))
) WITH (fillfactor = 50);

-- How many sessions of a project are active, for its limit. A trigger counts, in the transaction that begins a session or ends it.
CREATE TABLE active_counts (
  project_id text COLLATE "C" PRIMARY KEY REFERENCES projects (id),
  active integer NOT NULL,
  CONSTRAINT active_counts_not_negative CHECK (active >= 0)
) WITH (fillfactor = 50);

-- One row for each launch that an Idempotency-Key can replay. Scope and key are stored as one hash.
CREATE TABLE idempotency_keys (
  hash bytea PRIMARY KEY,
  fingerprint bytea NOT NULL,
  session_id text COLLATE "C" NOT NULL REFERENCES sessions (id),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_hash_length CHECK (octet_length(hash) = 32)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
-- For sessions that are to be deleted: whether a record still names them.
CREATE INDEX idempotency_keys_by_session ON idempotency_keys (session_id);

-- Browser and public mints of a project on one UTC day.
CREATE TABLE daily_sessions (
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  day date NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (project_id, day),
  CONSTRAINT daily_sessions_not_negative CHECK (used >= 0)
);

-- One-minute windows of the rate limits: the points admitted so far, how many of them the latest write got and under
-- which limit. They need not outlive a crash of the database, so they skip its log.
CREATE UNLOGGED TABLE rate_windows (
  key text COLLATE "C" PRIMARY KEY,
  points integer NOT NULL,
  granted integer NOT NULL,
  allowed integer NOT NULL,
  expire bigint NOT NULL
);
CREATE INDEX rate_windows_by_expiry ON rate_windows (expire);

-- A session that record_sessions inserts. Its column `given` is a separate parameter, a JSON array: as a field of this type, each quote in it
-- would be escaped twice.
CREATE TYPE session_to_record AS (
  id text,
  project_id text,
  experience_id text,
  revision integer,
  livemode boolean,
  source text,
  user_id text,
  created_at timestamptz,
  expires_at timestamptz
);

-- The claim of an Idempotency-Key.
--
--   n             the number of its mint in the batch
--   hash          of scope and key; the lock is 64 bits of it
--   fingerprint   of the body
--   session_id    null when a fresh mint was refused already, and only a replay may answer
--   project_id    with the day: where the daily quota counts the mint
CREATE TYPE claim_to_record AS (
  n integer,
  hash bytea,
  lock bigint,
  fingerprint bytea,
  session_id text,
  project_id text,
  day date
);

-- The functions of the triggers below, as of this migration. The newest text of all functions is installed after the last migration.
--> include frozen/0001_refuse_change.sql
--> include frozen/0001_require_revisions.sql
--> include frozen/0001_count_active.sql

CREATE TRIGGER revisions_immutable BEFORE UPDATE OR DELETE ON revisions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER revisions_stay BEFORE TRUNCATE ON revisions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER experiences_project_stays BEFORE UPDATE OF project_id ON experiences
  FOR EACH ROW WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sessions_revisions_exist AFTER INSERT ON sessions REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION require_revisions();
-- What require_revisions looked up stays true: neither side of it changes.
CREATE TRIGGER sessions_revision_stays BEFORE UPDATE OF project_id, experience_id, revision ON sessions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER active_sessions_begun AFTER INSERT ON active_sessions REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_active();
CREATE TRIGGER active_sessions_over AFTER DELETE ON active_sessions REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_active();
