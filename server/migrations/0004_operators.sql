-- People who use the admin API, how they are signed in, and what they changed.

CREATE TABLE operators (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text NOT NULL,
  -- Null: every project.
  project_ids text[],
  -- SHA-256 of the token; the token itself is never stored. Null for somebody who signs in through an identity provider.
  token_hash bytea,
  -- The identity provider's name of this person.
  issuer text,
  subject text,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  CONSTRAINT operators_id_format CHECK (id ~ '^opr_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT operators_role_known CHECK (role IN ('viewer', 'creator', 'developer', 'owner')),
  CONSTRAINT operators_token_unique UNIQUE (token_hash),
  CONSTRAINT operators_token_length CHECK (octet_length(token_hash) = 32),
  CONSTRAINT operators_subject_unique UNIQUE (issuer, subject),
  CONSTRAINT operators_subject_whole CHECK ((issuer IS NULL) = (subject IS NULL))
);

-- Sign-in links that have not been used. A null operator is the holder of ADMIN_TOKEN.
CREATE TABLE login_codes (
  hash bytea PRIMARY KEY,
  operator_id text COLLATE "C" REFERENCES operators (id) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT login_codes_hash_length CHECK (octet_length(hash) = 32)
);

-- Browsers that are signed in.
CREATE TABLE logins (
  id text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the cookie.
  hash bytea NOT NULL,
  operator_id text COLLATE "C" REFERENCES operators (id) ON DELETE CASCADE,
  via text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  address text NOT NULL,
  agent text NOT NULL,
  -- Of the holder of ADMIN_TOKEN: HMAC of that token with the cookie as the key, by which the login ends when the token is replaced.
  token_tag bytea,
  CONSTRAINT logins_id_format CHECK (id ~ '^lgn_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT logins_hash UNIQUE (hash),
  CONSTRAINT logins_hash_length CHECK (octet_length(hash) = 32),
  CONSTRAINT logins_tag_of_bootstrap CHECK ((operator_id IS NULL) = (token_tag IS NOT NULL)),
  CONSTRAINT logins_via_known CHECK (via IN ('console', 'oidc'))
);
CREATE INDEX logins_by_expiry ON logins (expires_at);

-- One row for each change, written in the transaction of that change. No foreign keys: a row outlives what it is about.
CREATE TABLE audit (
  id text COLLATE "C" PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  operator_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  via text NOT NULL,
  action text NOT NULL,
  project_id text COLLATE "C",
  target text COLLATE "C" NOT NULL,
  -- The version of the target after this change, where it has one.
  version integer,
  changes json NOT NULL,
  request_id text NOT NULL,
  address text NOT NULL,
  CONSTRAINT audit_id_format CHECK (id ~ '^aud_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT audit_via_known CHECK (via IN ('token', 'console', 'oidc', 'file'))
);
CREATE INDEX audit_by_project ON audit (project_id, id);
CREATE INDEX audit_by_operator ON audit (operator_id, id);
CREATE INDEX audit_by_target ON audit (target, id);

CREATE TRIGGER audit_immutable BEFORE UPDATE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
-- Only the deletion of rows older than AUDIT_RETENTION_DAYS says so.
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
  FOR EACH ROW WHEN (current_setting('session_launch.deleting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_stays BEFORE TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
