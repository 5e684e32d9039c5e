-- Copies of two fields of `given`, by which lists of sessions filter. A launch always has a locale: where it is null, the row was stored
-- without these columns, and lists read `given`. Neither has an index: a list examines a bounded number of sessions.
ALTER TABLE sessions ADD COLUMN origin text;
ALTER TABLE sessions ADD COLUMN locale text;

-- What a mint hands in: session_to_record with these two fields. Processes of the previous version send rows of the former type.
CREATE TYPE launch_to_record AS (
  id text,
  project_id text,
  experience_id text,
  revision integer,
  livemode boolean,
  source text,
  user_id text,
  created_at timestamptz,
  expires_at timestamptz,
  origin text,
  locale text
);
