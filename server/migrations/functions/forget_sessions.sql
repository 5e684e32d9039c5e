-- Removes the user and the metadata from at most `most` sessions of a user, and ends those that have not ended. Returns a row for each
-- session that it ended, with the seconds that this added (kind ended), and the number of sessions that named the user (kind total).
-- Locks in the order of change_sessions.
CREATE OR REPLACE FUNCTION forget_sessions(project text, forgotten text, most integer)
RETURNS TABLE (kind text, session_id text, added integer)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_custom_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  batch text[];
  running text[];
  one text;
BEGIN
  batch := ARRAY(SELECT s.id FROM sessions s WHERE s.project_id = project AND s.user_id = forgotten
                  ORDER BY s.id LIMIT most FOR UPDATE);
  running := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (batch) AND s.ended_at IS NULL ORDER BY s.id);
  RETURN QUERY
    SELECT 'ended', running[e.n + 1], e.added
      FROM change_sessions(
             ARRAY(SELECT ROW (r.id, project, r.place, 1, NULL, NULL, NULL, 'api_request')::session_change
                     FROM unnest(running) WITH ORDINALITY AS r(id, place) ORDER BY r.place),
             ARRAY[project], false, NULL) e
     WHERE e.outcome = 'ended_now';
  -- The other fields keep their order, because a replay is rendered from them.
  UPDATE sessions s
     SET user_id = NULL,
         given = (SELECT json_object_agg(g.key, g.value) FROM json_each(s.given) g WHERE g.key <> 'metadata')
   WHERE s.id = ANY (batch);
  -- Events that are stored for webhooks. Waits for a running sequence_events, which may have read these sessions, and skips the next ones
  -- until this transaction ends. One by one, and looked up with a limit (a session has at most four events): without statistics, the
  -- planner expects many events of each session.
  IF pg_sequence_last_value('webhooks_in_use') IS NOT NULL THEN
    PERFORM 1 FROM webhook_progress p WHERE p.is_only FOR UPDATE;
    FOREACH one IN ARRAY batch LOOP
      UPDATE webhook_events e SET data = (e.data::jsonb || '{"user_id": null}' #- '{given,metadata}')::json
       WHERE e.id = ANY (ARRAY(SELECT o.id FROM webhook_events o WHERE o.subject = one LIMIT 20));
    END LOOP;
  END IF;
  RETURN QUERY SELECT 'total', NULL, cardinality(batch);
END $$;
