-- Stores the results of attempts of a worker that has leased a webhook, extends the lease, and returns the next deliveries that are due, in
-- no order: at most 200. Without one, or if `most` is 0, it ends the lease.
--
--   results   a JSON array: eventId; attempt, the number of the attempt; isDelivered; retryMs until the next one, absent if there is none;
--             record, as the list of deliveries shows it
--   hold_ms   milliseconds in which nothing more is sent, because the receiver does not respond; null: none
--   is_gone   whether the receiver has answered 410
--
-- Returns a state: active; idle, the lease has ended; lost, the worker had no lease; deleted; or the reason for which this call
-- disabled the webhook. Results that are sent again, because the connection was lost, change nothing.
--
-- Without sorting, the planner can only take deliveries from the beginning of webhook_deliveries_due, so the time does not depend on how
-- many wait. Otherwise it would read all of them, if the plan was made when there were few.
CREATE OR REPLACE FUNCTION continue_webhook(wanted text, claimer text, results json, hold_ms integer, is_gone boolean, most integer)
RETURNS TABLE (state text, webhook json, deliveries json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_sort = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  max_failing CONSTANT interval := '5 days';
  listed_attempts CONSTANT integer := 30;
  hook webhooks;
  queue webhook_queues;
  succeeded boolean := false;
  ends_well boolean;
  result record;
  leased boolean;
  due json;
BEGIN
  state := 'active';
  -- In the order of the admin API, which locks the settings before the queue.
  SELECT w.* INTO hook FROM webhooks w WHERE w.id = wanted FOR NO KEY UPDATE;
  SELECT q.* INTO queue FROM webhook_queues q WHERE q.webhook_id = wanted FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'deleted', NULL::json, NULL::json;
    RETURN;
  END IF;

  leased := queue.worker IS NOT DISTINCT FROM claimer;
  FOR result IN
    SELECT r.* FROM json_to_recordset(results)
             AS r("eventId" text, attempt integer, "isDelivered" boolean, "retryMs" bigint, record jsonb)
  LOOP
    -- Without a lease, for example because the URL was changed, a failure says nothing about the next attempt.
    UPDATE webhook_deliveries d
       SET status = CASE WHEN result."isDelivered" THEN 'delivered' WHEN leased AND result."retryMs" IS NULL THEN 'failed' ELSE 'pending' END,
           tries = CASE WHEN leased THEN d.tries + 1 ELSE d.tries END,
           attempt_count = d.attempt_count + 1,
           next_at = CASE WHEN result."isDelivered" THEN NULL
                          WHEN leased THEN now() + result."retryMs" * interval '1 millisecond' ELSE d.next_at END,
           attempts = CASE WHEN jsonb_array_length(d.attempts) >= listed_attempts THEN d.attempts - 0 ELSE coalesce(d.attempts, '[]') END
                      || result.record
     WHERE d.webhook_id = wanted AND d.event_id = result."eventId" AND d.attempt_count = result.attempt - 1;
    succeeded := succeeded OR result."isDelivered";
    ends_well := result."isDelivered";
  END LOOP;

  IF NOT leased THEN
    state := 'lost';
  ELSE
    IF ends_well IS NOT NULL THEN
      queue.failing_since := CASE WHEN ends_well THEN NULL WHEN succeeded THEN now() ELSE coalesce(queue.failing_since, now()) END;
      IF succeeded THEN
        queue.last_delivered_at := now();
      END IF;
      IF hook.disabled_at IS NULL AND (is_gone OR queue.failing_since < now() - max_failing) THEN
        state := CASE WHEN is_gone THEN 'gone' ELSE 'failing' END;
        UPDATE webhooks w SET disabled_at = now(), disabled_reason = state WHERE w.id = wanted;
        queue.is_paused := true;
      END IF;
    END IF;
    IF hold_ms IS NOT NULL THEN
      queue.held_until := greatest(queue.held_until, now() + hold_ms * interval '1 millisecond');
    END IF;
    IF NOT queue.is_paused AND coalesce(queue.held_until <= now(), true) AND most > 0 THEN
      -- Retries come first: their events are older.
      WITH again AS MATERIALIZED (
        -- Of a limit that is a parameter, the planner would assume a tenth of all rows.
        SELECT * FROM (SELECT p.event_id, p.tries, p.attempt_count FROM webhook_deliveries p
                        WHERE p.webhook_id = wanted AND p.status = 'pending' AND p.next_at <= now()
                        ORDER BY p.next_at NULLS FIRST, p.event_id LIMIT 200) d LIMIT most
      ), fresh AS MATERIALIZED (
        SELECT * FROM (SELECT p.event_id, p.tries, p.attempt_count FROM webhook_deliveries p
                        WHERE p.webhook_id = wanted AND p.status = 'pending' AND p.next_at IS NULL
                        ORDER BY p.next_at NULLS FIRST, p.event_id LIMIT 200) d
         LIMIT least(most, 200) - (SELECT count(*) FROM again)
      )
      SELECT json_agg(n) INTO due
        FROM (SELECT e.id AS "eventId", e.type, e.at, e.data, d.tries, d.attempt_count AS attempts
                FROM (SELECT * FROM again UNION ALL SELECT * FROM fresh) d JOIN webhook_events e ON e.id = d.event_id) n;
      IF due IS NULL THEN
        queue.due_at := (SELECT coalesce(d.next_at, '-infinity') FROM webhook_deliveries d
                          WHERE d.webhook_id = wanted AND d.status = 'pending'
                          ORDER BY d.next_at NULLS FIRST, d.event_id LIMIT 1);
      END IF;
    END IF;
    IF due IS NULL THEN
      queue.worker := NULL;
      queue.leased_until := NULL;
      state := CASE WHEN state = 'active' THEN 'idle' ELSE state END;
    ELSE
      queue.leased_until := now() + interval '45 seconds';
    END IF;
  END IF;

  UPDATE webhook_queues q
     SET due_at = queue.due_at, is_paused = queue.is_paused, held_until = queue.held_until, failing_since = queue.failing_since,
         last_delivered_at = queue.last_delivered_at, worker = queue.worker, leased_until = queue.leased_until
   WHERE q.webhook_id = wanted;
  RETURN QUERY
    SELECT state,
           json_build_object('projectId', hook.project_id, 'url', hook.url, 'secret', hook.secret,
                             'formerSecret', CASE WHEN hook.former_secret_until > now() THEN hook.former_secret END),
           due;
END $$;
