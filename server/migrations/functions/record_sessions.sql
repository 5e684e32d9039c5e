-- What processes of the previous version call: record_launches without the columns by which lists filter.
CREATE OR REPLACE FUNCTION record_sessions(fresh session_to_record[], givens json, claims claim_to_record[], tallies json,
                                           retrying boolean)
RETURNS TABLE (outcome text, n integer, used integer, quota integer, prior json)
LANGUAGE sql VOLATILE
AS $$
  SELECT r.outcome, r.n, r.used, r.quota, r.prior
    FROM record_launches(
           ARRAY(SELECT ROW (f.id, f.project_id, f.experience_id, f.revision, f.livemode, f.source, f.user_id, f.created_at,
                             f.expires_at, NULL, NULL)::launch_to_record
                   FROM unnest(fresh) WITH ORDINALITY
                          AS f(id, project_id, experience_id, revision, livemode, source, user_id, created_at, expires_at, place)
                  ORDER BY f.place),
           givens, claims, tallies, retrying) AS r
$$;
