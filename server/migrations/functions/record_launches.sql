-- Records a batch of mints: claims of idempotency keys, daily quota and session rows commit together.
--
--   fresh     sessions to insert; the index of a mint in this array, from 0, is its number n in the batch
--   givens    the settings of each session, a JSON array in the same order
--   claims    one for each mint with an Idempotency-Key; a mint that may only be replayed has no session, and its n
--             is above those of fresh
--   tallies   the mints that the daily quota counts: projectId, day, members (their n), in the order of
--             project and day, so that batches of several processes lock counters in the same order
--
-- Returns a row for each mint n that was not recorded: conflict, in_progress, absent, replayed (with the prior session) or
-- quota_exceeded; and one row for each tally, with n as the number of the tally, that contains the number of sessions of the
-- day before this batch. If a mint is in_progress, returns only those rows and does nothing, because that result must not
-- wait for a lock that another mint of the batch may need. The caller sends the other mints again.
--
-- VOLATILE, because every statement below must see what was committed before it: a claim that became free is looked up
-- after its lock is held. pg_try_advisory_xact_lock never waits, and the lock ends with the transaction. The planner
-- settings keep every access on an index, regardless of the table sizes when a plan was cached.
CREATE OR REPLACE FUNCTION record_launches(fresh launch_to_record[], givens json, claims claim_to_record[], tallies json,
                                           retrying boolean)
RETURNS TABLE (outcome text, n integer, used integer, quota integer, prior json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  settled integer[] := '{}';
  busy integer[];
  some_n integer[];
  tally record;
  allowance integer;
  taken integer;
  granted integer;
BEGIN
  IF retrying THEN
    -- The connection was lost before the result of an earlier attempt arrived; that attempt may have been committed.
    SELECT array_agg(place - 1) INTO some_n
      FROM generate_subscripts(fresh, 1) AS place JOIN sessions s ON s.id = (fresh[place]).id;
    settled := settled || coalesce(some_n, '{}');
  END IF;

  IF claims IS NOT NULL THEN
    SELECT array_agg(c.n) FILTER (WHERE NOT c.free) INTO busy
      FROM (SELECT i.n, pg_try_advisory_xact_lock(i.lock) AS free
              FROM unnest(claims) AS i
             WHERE i.n <> ALL (settled)) c;

    -- A mint whose launch exists is a replay even if its lock is held: by another replay, or by the mint that has just finished.
    SELECT array_agg(i.n) INTO some_n
      FROM unnest(claims) AS i
      JOIN idempotency_keys k ON k.hash = i.hash AND k.expires_at > now()
     WHERE i.n <> ALL (settled);

    SELECT array_agg(b) INTO busy FROM unnest(busy) b WHERE b <> ALL (coalesce(some_n, '{}'));
    IF busy IS NOT NULL THEN
      RETURN QUERY SELECT 'in_progress', u, NULL::integer, NULL::integer, NULL::json FROM unnest(busy) u;
      RETURN;
    END IF;

    IF some_n IS NOT NULL THEN
      settled := settled || some_n;
      RETURN QUERY
        SELECT l.* FROM launches_under(claims) l WHERE l.n = ANY (some_n);
    END IF;

    SELECT array_agg(i.n) INTO some_n
      FROM unnest(claims) AS i
     WHERE i.session_id IS NULL AND i.n <> ALL (settled);
    IF some_n IS NOT NULL THEN
      settled := settled || some_n;
      RETURN QUERY
        SELECT 'absent', u, NULL::integer, NULL::integer, NULL::json FROM unnest(some_n) u;
    END IF;
  END IF;

  IF tallies IS NOT NULL THEN
    FOR tally IN
      SELECT t.place::integer - 1 AS place, t.item->>'projectId' AS project_id, (t.item->>'day')::date AS day,
             ARRAY(SELECT m.n::integer FROM json_array_elements_text(t.item->'members') WITH ORDINALITY AS m(n, place)
                    WHERE m.n::integer <> ALL (settled) ORDER BY m.place) AS members,
             json_array_length(t.item->'members') AS asked
        FROM json_array_elements(tallies) WITH ORDINALITY AS t(item, place)
       ORDER BY t.place
    LOOP
      IF cardinality(tally.members) = 0 THEN
        -- The quota does not apply, or an earlier attempt recorded all of these mints.
        RETURN QUERY
          SELECT 'tally', tally.place, d.used - tally.asked, p.sessions_per_day, NULL::json
            FROM projects p JOIN daily_sessions d ON d.project_id = p.id
           WHERE retrying AND p.id = tally.project_id AND d.day = tally.day;
        CONTINUE;
      END IF;
      SELECT d.used INTO taken FROM daily_sessions d
       WHERE d.project_id = tally.project_id AND d.day = tally.day FOR UPDATE;
      IF NOT FOUND THEN
        INSERT INTO daily_sessions AS d VALUES (tally.project_id, tally.day, 0) ON CONFLICT DO NOTHING;
        SELECT d.used INTO taken FROM daily_sessions d
         WHERE d.project_id = tally.project_id AND d.day = tally.day FOR UPDATE;
      END IF;
      SELECT p.sessions_per_day INTO allowance FROM projects p WHERE p.id = tally.project_id;
      granted := cardinality(tally.members);
      IF allowance IS NOT NULL THEN
        granted := least(granted, greatest(allowance - taken, 0));
      END IF;
      IF granted > 0 THEN
        UPDATE daily_sessions d SET used = taken + granted
         WHERE d.project_id = tally.project_id AND d.day = tally.day;
      END IF;
      RETURN QUERY SELECT 'tally', tally.place, taken, allowance, NULL::json;
      IF granted < cardinality(tally.members) THEN
        some_n := tally.members[granted + 1 :];
        settled := settled || some_n;
        RETURN QUERY SELECT 'quota_exceeded', u, taken + granted, allowance, NULL::json FROM unnest(some_n) u;
      END IF;
    END LOOP;
  END IF;

  INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, user_id, given, created_at, expires_at,
                        origin, locale)
    SELECT s.id, s.project_id, s.experience_id, s.revision, s.livemode, s.source, s.user_id, s.given, s.created_at, s.expires_at,
           s.origin, s.locale
      FROM ROWS FROM (unnest(fresh), json_array_elements(givens)) WITH ORDINALITY
             AS s(id, project_id, experience_id, revision, livemode, source, user_id, created_at, expires_at, origin, locale,
                  given, place)
     WHERE s.place - 1 <> ALL (settled);

  -- Ids of a batch ascend, so the first one is the smallest. It is only below `next` if the mint was delayed for minutes or if a clock was
  -- wrong. Checked after the INSERT: roll_up_usage waits for transactions that have written. Reading the sequence takes a hundredth of the
  -- time of a query.
  IF extract(epoch FROM (fresh[1]).created_at) * 1000 < pg_sequence_last_value('usage_announced') THEN
    INSERT INTO uncounted_sessions (session_id, is_late)
      SELECT (fresh[place]).id, true FROM generate_subscripts(fresh, 1) AS place, usage_progress p
       WHERE p.is_only AND (fresh[place]).id < p.next AND place - 1 <> ALL (settled);
  END IF;

  -- Nested, because a condition with a subquery is a query of its own: until the first webhook is created, this costs the look at a sequence.
  IF pg_sequence_last_value('webhooks_in_use') IS NOT NULL THEN
    IF EXISTS (SELECT 1 FROM unnest(fresh) AS s JOIN webhooks w ON w.project_id = s.project_id) THEN
      INSERT INTO outbox (project_id, type, subject)
        SELECT s.project_id, 'session.created', s.id
          FROM unnest(fresh) WITH ORDINALITY
                 AS s(id, project_id, experience_id, revision, livemode, source, user_id, created_at, expires_at, origin, locale, place)
         WHERE s.place - 1 <> ALL (settled)
           AND EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = s.project_id AND 'session.created' = ANY (w.events))
         ORDER BY s.place;
      INSERT INTO session_expiries (session_id, project_id, expires_at)
        SELECT s.id, s.project_id, s.expires_at
          FROM unnest(fresh) WITH ORDINALITY
                 AS s(id, project_id, experience_id, revision, livemode, source, user_id, created_at, expires_at, origin, locale, place)
         WHERE s.place - 1 <> ALL (settled)
           AND EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = s.project_id AND 'session.expired' = ANY (w.events));
    END IF;
  END IF;

  IF claims IS NOT NULL THEN
    -- An existing hash belongs to an expired claim that has not been deleted yet. Claims expire by the clock of the database,
    -- because the clocks of processes may differ.
    INSERT INTO idempotency_keys AS k (hash, fingerprint, session_id, expires_at)
      SELECT i.hash, i.fingerprint, i.session_id, now() + interval '24 hours'
        FROM unnest(claims) AS i
       WHERE i.n <> ALL (settled)
      ON CONFLICT (hash) DO UPDATE
        SET fingerprint = EXCLUDED.fingerprint, session_id = EXCLUDED.session_id, expires_at = EXCLUDED.expires_at;
  END IF;
END $$;
