-- The paths of pictures in a document, each once: JSON strings that are a path of this service, and the paths of uploaded pictures inside
-- longer strings such as URLs. Also the ids of faces, which are part of their paths. A document may name a picture anywhere, so its text is
-- searched.
CREATE OR REPLACE FUNCTION pictures_in(document json) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT coalesce(found.match[1], found.match[2], found.match[3])), '{}')
    FROM regexp_matches(document::text,
           '"(/(?:avatars|locations)/[^"\\?#]+)"|(/(?:avatars|locations)/prj_[A-Za-z0-9_-]+/[0-9a-f]{64}[.][a-z]+)|(fac_[0-9a-f]{32})',
           'g') AS found(match)
$$;
