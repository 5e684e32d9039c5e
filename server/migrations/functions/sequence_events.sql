-- Moves up to as many events as there are ids from the outbox to webhook_events, and queues them for the webhooks of their project. The ids
-- ascend. They are given to events whose transactions have committed, so an event never appears before one that was there already: no
-- reader can skip one. Events of one session keep their order, since each of its changes begins after the one before has committed.
--
-- Returns the number of events that it took, and the last id that was given. Returns -1 if the ids are not above it: the clock of the
-- caller is behind that of another process. Returns no row if another process is doing the same.
CREATE OR REPLACE FUNCTION sequence_events(ids text[])
RETURNS TABLE (taken integer, last_id text)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  previous text COLLATE "C";
  batch bigint[];
  owners text[];
  queued text[];
BEGIN
  -- Without a lock, which would make each look of an idle process a write.
  IF NOT EXISTS (SELECT 1 FROM outbox) THEN
    RETURN QUERY SELECT 0, p.last_id FROM webhook_progress p WHERE p.is_only;
    RETURN;
  END IF;
  SELECT p.last_id INTO previous FROM webhook_progress p WHERE p.is_only FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  batch := ARRAY(SELECT o.number FROM outbox o ORDER BY o.number LIMIT cardinality(ids));
  IF batch = '{}' THEN
    RETURN QUERY SELECT 0, previous;
    RETURN;
  END IF;
  IF ids[1] <= previous THEN
    RETURN QUERY SELECT -1, previous;
    RETURN;
  END IF;

  -- Locked before the deliveries are inserted: continue_webhook, which looks for pending ones under this lock, finds them, or this
  -- function finds that it has stopped.
  owners := ARRAY(SELECT DISTINCT o.project_id FROM outbox o WHERE o.number = ANY (batch));
  queued := ARRAY(SELECT w.id FROM webhooks w WHERE w.project_id = ANY (owners));
  PERFORM 1 FROM webhook_queues q WHERE q.webhook_id = ANY (queued) ORDER BY q.webhook_id FOR UPDATE;

  WITH gone AS (
    DELETE FROM outbox o WHERE o.number = ANY (batch) RETURNING o.*
  ), stored AS (
    INSERT INTO webhook_events AS e (id, project_id, type, at, subject, data)
      SELECT ids[g.place], g.project_id, g.type,
             CASE g.type
               WHEN 'session.created' THEN s.created_at WHEN 'session.started' THEN s.started_at
               WHEN 'session.ended' THEN s.ended_at WHEN 'session.expired' THEN s.expires_at ELSE g.at
             END,
             g.subject,
             CASE
               WHEN g.revision IS NULL THEN to_json(s)
               ELSE json_build_object('projectId', g.project_id, 'experienceId', g.subject, 'revision', r.number, 'slug', r.slug,
                                      'title', r.title)
             END
        FROM (SELECT gone.*, row_number() OVER (ORDER BY gone.number) AS place FROM gone) g
        LEFT JOIN sessions s ON g.revision IS NULL AND s.id = g.subject
        LEFT JOIN revisions r ON r.experience_id = g.subject AND r.number = g.revision
       -- What a deleted project leaves behind is dropped.
       WHERE s.id IS NOT NULL OR r.number IS NOT NULL
    RETURNING e.id, e.project_id, e.type
  ), sent AS (
    INSERT INTO webhook_deliveries AS d (webhook_id, event_id)
      SELECT w.id, e.id FROM stored e JOIN webhooks w ON w.project_id = e.project_id AND e.type = ANY (w.events)
    RETURNING d.webhook_id
  )
  SELECT array_agg(DISTINCT s.webhook_id) INTO queued FROM sent s;

  UPDATE webhook_queues q SET due_at = '-infinity'
   WHERE q.webhook_id = ANY (queued) AND q.due_at IS DISTINCT FROM '-infinity';
  UPDATE webhook_progress p SET last_id = ids[cardinality(batch)] WHERE p.is_only;
  RETURN QUERY SELECT cardinality(batch), ids[cardinality(batch)];
END $$;
