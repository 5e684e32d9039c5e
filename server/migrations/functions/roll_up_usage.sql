-- Does the next step of adding sessions to usage_days, up to the id `target`, the first one of target_time, at most `most` sessions in one
-- call. Returns whether there is more to do now; null if another transaction has locked usage_progress, such as another call or a connect in
-- reopen_usage. Each call is atomic, so every session is counted once, whichever process does it and whenever it is killed.
--
-- A pass has three steps, each in its own transaction. 1: announce in `next` how far the pass goes. From then on, record_launches and
-- change_sessions enter the sessions that they record or connect below `next` in uncounted_sessions. 2: note the id of a transaction that
-- began after step 1; a dump that was restored into another server has an id of the old one, which may be larger than all of the new one, so
-- the step is repeated. 3: when all transactions up to that one have ended, every session below `next` is either visible or will be entered.
-- Then count batch after batch: active sessions go to uncounted_sessions, all others to usage_days. Sessions in uncounted_sessions follow
-- when they have ended.
--
-- The seconds of a session that has ended, or that no client has connected to, are final; reopen_usage handles a late connect.
--
-- The same batches are added to revision_counts. A session counts for its revision from its mint on, so active sessions are added as well
-- and reopen_usage changes nothing there. Only a session that was recorded late (uncounted_sessions.is_late) is added when it leaves
-- uncounted_sessions. Sessions between revisions_below and `below`, which an earlier version rolled up, follow when a call has no newer sessions to count.
CREATE OR REPLACE FUNCTION roll_up_usage(target text, target_time timestamptz, most integer)
RETURNS boolean
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  progress usage_progress;
  looked_at integer;
  last_id text COLLATE "C";
  is_level boolean;
  upto text COLLATE "C";
BEGIN
  INSERT INTO usage_progress (below, next) VALUES ('', '') ON CONFLICT DO NOTHING;
  SELECT * INTO progress FROM usage_progress p WHERE p.is_only FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  IF progress.below < progress.next THEN
    IF progress.announced_by IS NULL OR progress.announced_by >= pg_snapshot_xmax(pg_current_snapshot()) THEN
      UPDATE usage_progress SET announced_by = pg_current_xact_id() WHERE is_only;
      RETURN true;
    END IF;
    IF pg_snapshot_xmin(pg_current_snapshot()) <= progress.announced_by THEN
      RETURN false;
    END IF;
    SELECT count(*), max(c.id) INTO looked_at, last_id
      FROM (SELECT s.id FROM sessions s WHERE s.id >= progress.below AND s.id < progress.next ORDER BY s.id LIMIT most) c;
    -- The smallest text that sorts behind the last id.
    upto := CASE WHEN looked_at < most THEN progress.next ELSE least(last_id || chr(1), progress.next) END;
    is_level := progress.revisions_below = progress.below;
    WITH slice AS MATERIALIZED (
      SELECT s.id, s.project_id, (s.created_at AT TIME ZONE 'UTC')::date AS day, s.experience_id, s.revision, s.seconds, s.source,
             s.started_at IS NOT NULL AND s.ended_at IS NULL AS is_active
        FROM sessions s WHERE s.id >= progress.below AND s.id < upto
    ), entered AS (
      INSERT INTO uncounted_sessions AS u SELECT s.id FROM slice s WHERE s.is_active ORDER BY s.id
      ON CONFLICT (session_id) DO UPDATE SET is_late = u.is_late AND NOT is_level
    ), counted AS (
      DELETE FROM uncounted_sessions u USING slice s WHERE u.session_id = s.id AND NOT s.is_active
    ), revisions AS (
      INSERT INTO revision_counts AS c (project_id, experience_id, revision, sessions)
        SELECT s.project_id, s.experience_id, s.revision, count(*) FROM slice s
         WHERE is_level GROUP BY 1, 2, 3 ORDER BY 2, 3
        ON CONFLICT (experience_id, revision) DO UPDATE SET sessions = c.sessions + EXCLUDED.sessions
    )
    INSERT INTO usage_days AS d
      SELECT s.project_id, s.day, s.experience_id, count(*), sum(s.seconds) FROM slice s
       WHERE NOT s.is_active AND s.source <> 'preview'
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (project_id, day, experience_id)
        DO UPDATE SET sessions = d.sessions + EXCLUDED.sessions, seconds = d.seconds + EXCLUDED.seconds;
    UPDATE usage_progress SET below = upto, revisions_below = CASE WHEN is_level THEN upto ELSE revisions_below END
     WHERE is_only;
    RETURN true;
  END IF;

  WITH due AS MATERIALIZED (
    SELECT u.session_id, u.is_late AND u.session_id < progress.revisions_below AS lacks_revision,
           s.project_id, (s.created_at AT TIME ZONE 'UTC')::date AS day, s.experience_id, s.revision, s.seconds, s.source
      FROM uncounted_sessions u LEFT JOIN sessions s ON s.id = u.session_id
     WHERE u.session_id < progress.below
       AND (s.id IS NULL OR s.ended_at IS NOT NULL OR s.started_at IS NULL AND s.expires_at < now())
     ORDER BY u.session_id LIMIT most
  ), counted AS (
    DELETE FROM uncounted_sessions u USING due d WHERE u.session_id = d.session_id RETURNING 1
  ), revisions AS (
    INSERT INTO revision_counts AS c (project_id, experience_id, revision, sessions)
      SELECT s.project_id, s.experience_id, s.revision, count(*) FROM due s
       WHERE s.project_id IS NOT NULL AND s.lacks_revision GROUP BY 1, 2, 3 ORDER BY 2, 3
      ON CONFLICT (experience_id, revision) DO UPDATE SET sessions = c.sessions + EXCLUDED.sessions
  ), added AS (
    INSERT INTO usage_days AS d
      SELECT s.project_id, s.day, s.experience_id, count(*), sum(s.seconds) FROM due s
       WHERE s.project_id IS NOT NULL AND s.source <> 'preview'
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
      ON CONFLICT (project_id, day, experience_id)
        DO UPDATE SET sessions = d.sessions + EXCLUDED.sessions, seconds = d.seconds + EXCLUDED.seconds
  )
  SELECT count(*) INTO looked_at FROM counted;
  IF looked_at > 0 THEN
    RETURN true;
  END IF;

  IF target COLLATE "C" > progress.below THEN
    PERFORM setval('usage_announced', greatest(
      pg_sequence_last_value('usage_announced'), floor(extract(epoch FROM target_time) * 1000)::bigint + 60000));
    UPDATE usage_progress SET next = target, announced_by = NULL WHERE is_only;
    RETURN true;
  END IF;

  IF progress.revisions_below < progress.below THEN
    SELECT count(*), max(c.id) INTO looked_at, last_id
      FROM (SELECT s.id FROM sessions s
             WHERE s.id >= progress.revisions_below AND s.id < progress.below ORDER BY s.id LIMIT most) c;
    upto := CASE WHEN looked_at < most THEN progress.below ELSE least(last_id || chr(1), progress.below) END;
    WITH known AS (
      UPDATE uncounted_sessions u SET is_late = false
       WHERE u.is_late AND u.session_id >= progress.revisions_below AND u.session_id < upto
    )
    INSERT INTO revision_counts AS c (project_id, experience_id, revision, sessions)
      SELECT s.project_id, s.experience_id, s.revision, count(*) FROM sessions s
       WHERE s.id >= progress.revisions_below AND s.id < upto GROUP BY 1, 2, 3 ORDER BY 2, 3
      ON CONFLICT (experience_id, revision) DO UPDATE SET sessions = c.sessions + EXCLUDED.sessions;
    UPDATE usage_progress SET revisions_below = upto WHERE is_only;
    RETURN true;
  END IF;
  RETURN false;
END $$;
