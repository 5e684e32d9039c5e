-- Updates active_counts. Projects are updated in a fixed order, so that concurrent statements about several cannot deadlock.
CREATE OR REPLACE FUNCTION count_active() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  those record;
BEGIN
  FOR those IN SELECT c.project_id, count(*)::integer AS number FROM changed c GROUP BY c.project_id ORDER BY c.project_id
  LOOP
    IF TG_OP = 'INSERT' THEN
      INSERT INTO active_counts AS a VALUES (those.project_id, those.number)
        ON CONFLICT (project_id) DO UPDATE SET active = a.active + EXCLUDED.active;
    ELSE
      UPDATE active_counts a SET active = a.active - those.number WHERE a.project_id = those.project_id;
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
