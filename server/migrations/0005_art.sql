-- Pictures that operators upload. A picture is found by the SHA-256 of its content, which is also part of its path.
CREATE TABLE art (
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  kind text NOT NULL,
  -- SHA-256 of the content, in hexadecimal digits.
  hash text COLLATE "C" NOT NULL,
  type text NOT NULL,
  -- The name of the uploaded file, for listings.
  name text,
  -- Size in pixels. Null for an SVG that does not state it.
  width integer,
  height integer,
  content bytea NOT NULL,
  uploaded_at timestamptz(3) NOT NULL,
  CONSTRAINT art_content_once UNIQUE (project_id, kind, hash),
  CONSTRAINT art_id_format CHECK (id ~ '^art_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT art_kind_known CHECK (kind IN ('avatar', 'location')),
  CONSTRAINT art_hash_format CHECK (hash ~ '^[0-9a-f]{64}$'),
  CONSTRAINT art_type_known CHECK (type IN ('image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/svg+xml')),
  CONSTRAINT art_content_bounded CHECK (octet_length(content) BETWEEN 1 AND 4194304)
);
-- Pictures are compressed already; compressing them again would only take time.
ALTER TABLE art ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX art_by_project ON art (project_id, id);
