-- Keeps active_sessions true. Projects are counted in one order, so that statements about several never wait in a circle.
CREATE OR REPLACE FUNCTION count_active() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO active_sessions AS c (project_id, active)
    SELECT a.project_id, sum((a.started_at IS NOT NULL AND a.ended_at IS NULL)::integer
                           - (b.started_at IS NOT NULL AND b.ended_at IS NULL)::integer) AS change
      FROM before b JOIN after a ON a.id = b.id
     GROUP BY a.project_id
    HAVING sum((a.started_at IS NOT NULL AND a.ended_at IS NULL)::integer
             - (b.started_at IS NOT NULL AND b.ended_at IS NULL)::integer) <> 0
     ORDER BY a.project_id
  ON CONFLICT (project_id) DO UPDATE SET active = c.active + EXCLUDED.active;
  RETURN NULL;
END $$;
