-- Replaces a foreign key from sessions to revisions, which would look up the revision of every row: about a third of the cost of a
-- mint. A batch names one or a few revisions, so this trigger checks each revision once per INSERT statement. The shared lock keeps
-- them until the transaction ends: revisions are only deleted under the exclusive one.
CREATE OR REPLACE FUNCTION require_revisions() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  missing record;
BEGIN
  -- As an expression, never null: PERFORM would run a query, which takes seven times as long.
  IF pg_advisory_xact_lock_shared(7315042019) IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT named.*, e.id IS NULL AS experience INTO missing
    FROM (SELECT DISTINCT f.project_id, f.experience_id, f.revision FROM fresh f) named
    LEFT JOIN experiences e ON e.id = named.experience_id AND e.project_id = named.project_id
    LEFT JOIN revisions r ON r.experience_id = e.id AND r.number = named.revision
   WHERE r.number IS NULL
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no revision % of % in %', missing.revision, missing.experience_id, missing.project_id
      USING ERRCODE = 'foreign_key_violation', TABLE = 'sessions',
            CONSTRAINT = CASE WHEN missing.experience THEN 'sessions_experience_of_project' ELSE 'sessions_revision' END;
  END IF;
  RETURN NULL;
END $$;
