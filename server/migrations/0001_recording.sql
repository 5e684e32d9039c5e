-- Two experiences may exchange their slugs in one project file: uniqueness is judged when the file is committed.
ALTER TABLE experiences DROP CONSTRAINT experiences_slug_in_project;
--> statement-breakpoint
ALTER TABLE experiences ADD CONSTRAINT experiences_slug_in_project UNIQUE (project_id, slug) DEFERRABLE INITIALLY DEFERRED;
--> statement-breakpoint
-- Both are written in one transaction, the experience first.
ALTER TABLE experiences ADD CONSTRAINT experiences_latest_revision_exists
  FOREIGN KEY (id, latest_revision) REFERENCES revisions (experience_id, number) DEFERRABLE INITIALLY DEFERRED;
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER revisions_immutable BEFORE UPDATE OR DELETE ON revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- One-minute windows of the rate limits: the points admitted so far, how many of them the latest write got and under
-- which limit. They need not outlive a crash of the database, so they skip its log.
CREATE UNLOGGED TABLE rate_windows (
  key text COLLATE "C" PRIMARY KEY,
  points integer NOT NULL,
  granted integer NOT NULL,
  allowed integer NOT NULL,
  expire bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX rate_windows_by_expiry ON rate_windows (expire);
--> statement-breakpoint
-- Look-ups of many rows at once. As functions with planner settings of their own, so that each row is found through
-- its index, whatever the planner believes of tables that nobody has analysed.
CREATE FUNCTION find_sessions(wanted json)
RETURNS TABLE (n integer, session json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT w.n, to_json(s)
      FROM json_to_recordset(wanted) AS w(n integer, "projectId" text, "sessionId" text)
      JOIN sessions s ON s.id = w."sessionId" AND s.project_id = w."projectId";
END $$;
--> statement-breakpoint
-- Whether a launch exists under each claim. Touches no session, so it never waits for one.
CREATE FUNCTION known_claims(claims json)
RETURNS TABLE (n integer)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT i.n FROM json_to_recordset(claims) AS i(n integer, hash bytea)
      JOIN idempotency_keys k ON k.hash = i.hash AND k.expires_at > now();
END $$;
--> statement-breakpoint
-- The launches that exist under these claims, and whether each came with the same body.
CREATE FUNCTION find_launches(claims json)
RETURNS TABLE (outcome text, n integer, used integer, quota integer, prior json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT CASE WHEN k.fingerprint = i.fingerprint THEN 'replayed' ELSE 'conflict' END,
           i.n, CASE WHEN i."projectId" IS NOT NULL THEN coalesce(d.used, 0) END, p.sessions_per_day, to_json(s)
      FROM json_to_recordset(claims) AS i(n integer, hash bytea, fingerprint bytea, "projectId" text, day date)
      JOIN idempotency_keys k ON k.hash = i.hash AND k.expires_at > now()
      JOIN sessions s ON s.id = k.session_id
      LEFT JOIN projects p ON p.id = i."projectId"
      LEFT JOIN daily_sessions d ON d.project_id = i."projectId" AND d.day = i.day;
END $$;
--> statement-breakpoint
-- Records a batch of mints: claims of idempotency keys, daily quota and session rows commit together.
--
--   fresh     session rows to insert; the place of a mint in this array is its number n in the batch
--   claims    one for each mint with an Idempotency-Key: n, hash (of scope and key), lock (64 bits of the hash),
--             fingerprint (of the body), expiresAt, projectId and day where the quota counts the mint;
--             sessionId is absent when a fresh mint was refused already and only a replay may answer
--             (such a mint has no row in fresh, and its n lies beyond them)
--   tallies   the mints that the daily quota counts: projectId, day, members (their n), in the order of
--             project and day, so that batches of several processes lock counters in one order
--
-- It answers with what is not simply recorded: conflict, in_progress, absent, replayed (with the prior session) or
-- quota_exceeded, each for a mint n; and with one row for each tally, n being the number of the tally, that tells how
-- many sessions the day had before. When a mint is in_progress it answers just that and does nothing: such an answer
-- must not wait for a lock that another mint of the batch may need. The others are to be sent again.
--
-- VOLATILE on purpose: every statement below sees what was committed before it, so a claim that became free
-- is looked up after its lock is held. pg_try_advisory_xact_lock never waits, and the lock ends with the
-- transaction. The planner settings keep every access on an index, whatever the tables held when a plan was cached.
CREATE FUNCTION record_mints(fresh json, claims json, tallies json, retrying boolean)
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
  -- The claims, taken apart once.
  places integer[];
  hashes bytea[];
  locks bigint[];
  fingerprints bytea[];
  session_ids text[];
  expiries timestamptz[];
  busy integer[];
  some_n integer[];
  tally record;
  allowance integer;
  taken integer;
  granted integer;
BEGIN
  IF retrying THEN
    -- The connection was lost before the answer to an earlier attempt arrived; it may have been committed.
    SELECT array_agg(i.place::integer - 1) INTO some_n
      FROM json_array_elements(fresh) WITH ORDINALITY AS i(row, place)
      JOIN sessions s ON s.id = i.row->>'id';
    settled := settled || coalesce(some_n, '{}');
  END IF;

  IF claims IS NOT NULL THEN
    SELECT array_agg(i.n), array_agg(i.hash), array_agg(i.lock), array_agg(i.fingerprint),
           array_agg(i."sessionId"), array_agg(i."expiresAt")
      INTO places, hashes, locks, fingerprints, session_ids, expiries
      FROM json_to_recordset(claims) AS i(n integer, hash bytea, lock bigint, fingerprint bytea,
                                          "sessionId" text, "expiresAt" timestamptz);

    SELECT array_agg(c.n) FILTER (WHERE NOT c.free) INTO busy
      FROM (SELECT i.n, pg_try_advisory_xact_lock(i.lock) AS free
              FROM unnest(places, locks) AS i(n, lock)
             WHERE i.n <> ALL (settled)) c;

    -- A launch that exists answers whoever holds the lock: that is then another replay, or has just finished.
    SELECT array_agg(i.n) INTO some_n
      FROM unnest(places, hashes) AS i(n, hash)
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
        SELECT l.* FROM find_launches(claims) l WHERE l.n = ANY (some_n);
    END IF;

    SELECT array_agg(i.n) INTO some_n
      FROM unnest(places, session_ids) AS i(n, session_id)
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
        -- Of no account, or all recorded by an earlier attempt.
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

  IF cardinality(settled) = 0 THEN
    INSERT INTO sessions SELECT * FROM json_populate_recordset(NULL::sessions, fresh);
  ELSE
    INSERT INTO sessions
      SELECT s.* FROM json_array_elements(fresh) WITH ORDINALITY AS i(row, place),
             LATERAL json_populate_record(NULL::sessions, i.row) s
       WHERE i.place - 1 <> ALL (settled);
  END IF;

  IF claims IS NOT NULL THEN
    -- A hash that is still there belongs to an expired claim that the cleanup has not reached yet.
    INSERT INTO idempotency_keys AS k (hash, fingerprint, session_id, expires_at)
      SELECT i.hash, i.fingerprint, i.session_id, i.expires_at
        FROM unnest(places, hashes, fingerprints, session_ids, expiries)
             AS i(n, hash, fingerprint, session_id, expires_at)
       WHERE i.n <> ALL (settled)
      ON CONFLICT (hash) DO UPDATE
        SET fingerprint = EXCLUDED.fingerprint, session_id = EXCLUDED.session_id, expires_at = EXCLUDED.expires_at;
  END IF;
END $$;
