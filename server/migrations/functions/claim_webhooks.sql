-- Leases up to `most` webhooks with due deliveries to a worker for 45 seconds, and returns their ids. A lease that has ended, or that
-- ends later than a lease can (the clock was set back), belongs to a process that no longer runs. `busy` names the webhooks that the worker
-- serves; it also gets other webhooks that it has leased, because the result of that call was lost.
CREATE OR REPLACE FUNCTION claim_webhooks(claimer text, busy text[], most integer)
RETURNS TABLE (webhook_id text)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  free text[];
BEGIN
  free := ARRAY(
    SELECT q.webhook_id FROM webhook_queues q
     WHERE q.due_at <= now() AND NOT q.is_paused AND coalesce(q.held_until <= now(), true)
       AND q.webhook_id <> ALL (busy)
       AND (q.worker IS NULL OR q.worker = claimer OR q.leased_until < now() OR q.leased_until > now() + interval '60 seconds')
     ORDER BY q.due_at LIMIT most FOR UPDATE SKIP LOCKED);
  RETURN QUERY
    UPDATE webhook_queues q SET worker = claimer, leased_until = now() + interval '45 seconds'
     WHERE q.webhook_id = ANY (free)
    RETURNING q.webhook_id;
END $$;
