-- Experiences with their projects and the revisions that launches use: the published one, or the newest one while none is published.
CREATE OR REPLACE FUNCTION find_experiences(ids text[])
RETURNS TABLE (experience json, project json, revision json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT to_json(e), to_json(p), to_json(r)
      FROM unnest(ids) AS w(id)
      JOIN experiences e ON e.id = w.id
      JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
      JOIN revisions r ON r.experience_id = e.id AND r.number = coalesce(e.published_revision, e.latest_revision);
END $$;
