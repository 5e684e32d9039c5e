-- Deletes up to `most` deliveries and up to `most` events of webhooks whose ids are below `before`, and deliveries of webhooks that no longer
-- exist. Returns how many rows it deleted.
CREATE OR REPLACE FUNCTION delete_old_deliveries(before text, most integer)
RETURNS integer
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_sort = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  owner text COLLATE "C" := '';
  removed integer;
  total integer := 0;
BEGIN
  LOOP
    SELECT d.webhook_id INTO owner FROM webhook_deliveries d WHERE d.webhook_id > owner ORDER BY d.webhook_id LIMIT 1;
    EXIT WHEN NOT FOUND OR total >= most;
    -- By ctid: to find them by their keys, the planner might read all deliveries of the webhook.
    IF EXISTS (SELECT 1 FROM webhooks w WHERE w.id = owner) THEN
      DELETE FROM webhook_deliveries d
       WHERE d.ctid = ANY (ARRAY(SELECT o.ctid FROM webhook_deliveries o WHERE o.webhook_id = owner AND o.event_id < before
                                  ORDER BY o.event_id LIMIT most - total));
    ELSE
      DELETE FROM webhook_deliveries d
       WHERE d.ctid = ANY (ARRAY(SELECT o.ctid FROM webhook_deliveries o WHERE o.webhook_id = owner
                                  ORDER BY o.event_id LIMIT most - total));
    END IF;
    GET DIAGNOSTICS removed = ROW_COUNT;
    total := total + removed;
  END LOOP;
  -- Only when no delivery names them any more.
  IF total < most THEN
    DELETE FROM webhook_events e
     WHERE e.id = ANY (ARRAY(SELECT o.id FROM webhook_events o WHERE o.id < before ORDER BY o.id LIMIT most));
    GET DIAGNOSTICS removed = ROW_COUNT;
    total := total + removed;
  END IF;
  RETURN total;
END $$;
