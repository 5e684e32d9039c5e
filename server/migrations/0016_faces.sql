-- Faces of characters: a picture, a small picture and the rig that says how the picture moves. Served below /avatars/<id>/.
CREATE TABLE faces (
  -- Contains a hash of the project and the files.
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  name text,
  rig_version smallint NOT NULL,
  rig text NOT NULL,
  full_type text NOT NULL,
  full_content bytea NOT NULL,
  thumb_type text NOT NULL,
  thumb_content bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT faces_id_format CHECK (id ~ '^fac_[0-9a-f]{32}$'),
  CONSTRAINT faces_rig_version_known CHECK (rig_version IN (1, 2)),
  CONSTRAINT faces_rig_bounded CHECK (octet_length(rig) BETWEEN 1 AND 16384),
  CONSTRAINT faces_full_type_known CHECK (full_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml')),
  CONSTRAINT faces_thumb_type_known CHECK (thumb_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/svg+xml')),
  CONSTRAINT faces_full_bounded CHECK (octet_length(full_content) BETWEEN 1 AND 4194304),
  CONSTRAINT faces_thumb_bounded CHECK (octet_length(thumb_content) BETWEEN 1 AND 524288)
);
CREATE INDEX faces_by_project ON faces (project_id, created_at);
