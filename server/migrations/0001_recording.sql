-- Two experiences may exchange their slugs in one project file: uniqueness is judged when the file is committed.
ALTER TABLE experiences DROP CONSTRAINT experiences_slug_in_project;
--> statement-breakpoint
ALTER TABLE experiences ADD CONSTRAINT experiences_slug_in_project UNIQUE (project_id, slug) DEFERRABLE INITIALLY DEFERRED;
--> statement-breakpoint
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER revisions_immutable BEFORE UPDATE OR DELETE ON revisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
-- One-minute windows of the rate limits. They need not outlive a crash of the database, so they skip its log.
CREATE UNLOGGED TABLE rate_windows (
  key text COLLATE "C" PRIMARY KEY,
  points integer NOT NULL,
  expire bigint
);
--> statement-breakpoint
CREATE INDEX rate_windows_by_expiry ON rate_windows (expire);
--> statement-breakpoint
-- Records a batch of mints: claims of idempotency keys, daily quota and session rows commit together.
--
-- Each element of items is one mint:
--   n            its place in the batch
--   claim        hash of scope and Idempotency-Key (absent without a key), lock: 64 bits of it
--   fingerprint  hash of the body, expiresAt: when the claim may be forgotten
--   counted      whether the daily quota counts it, with projectId and day
--   session      the row to insert; absent when a fresh mint was refused already and only a replay may answer
--
-- Outcomes: recorded | replayed (with the prior session) | conflict | in_progress | absent | quota_exceeded.
--
-- VOLATILE on purpose: every statement below sees what was committed before it, so a claim that became free
-- is looked up after its lock is held. pg_try_advisory_xact_lock never waits, and the lock ends with the
-- transaction. Counter rows are locked in the order of project and day, so batches cannot deadlock.
-- The planner settings keep every access on an index, whatever the tables held when a plan was cached.
CREATE FUNCTION record_mints(items json, retrying boolean)
RETURNS TABLE (n integer, outcome text, used integer, quota integer, prior json)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  settled integer[] := '{}';
  some_n integer[];
  tally record;
  allowance integer;
  taken integer;
  granted integer;
BEGIN
  IF retrying THEN
    -- The connection was lost before the answer to an earlier attempt arrived; it may have been committed.
    SELECT array_agg(i.n) INTO some_n
      FROM json_to_recordset(items) AS i(n integer, "sessionId" text)
      JOIN sessions s ON s.id = i."sessionId";
    IF some_n IS NOT NULL THEN
      settled := settled || some_n;
      RETURN QUERY
        SELECT i.n, 'recorded', d.used, p.sessions_per_day, NULL::json
          FROM json_to_recordset(items) AS i(n integer, "projectId" text, day date)
          LEFT JOIN projects p ON p.id = i."projectId"
          LEFT JOIN daily_sessions d ON d.project_id = i."projectId" AND d.day = i.day
         WHERE i.n = ANY (some_n);
    END IF;
  END IF;

  SELECT array_agg(i.n) FILTER (WHERE NOT i.free) INTO some_n
    FROM (SELECT c.n, pg_try_advisory_xact_lock(c.lock) AS free
            FROM json_to_recordset(items) AS c(n integer, lock bigint)
           WHERE c.lock IS NOT NULL AND c.n <> ALL (settled)) i;
  IF some_n IS NOT NULL THEN
    settled := settled || some_n;
    RETURN QUERY SELECT u, 'in_progress', NULL::integer, NULL::integer, NULL::json FROM unnest(some_n) u;
  END IF;

  SELECT array_agg(i.n) INTO some_n
    FROM json_to_recordset(items) AS i(n integer, claim bytea)
    JOIN idempotency_keys k ON k.hash = i.claim AND k.expires_at > now()
   WHERE i.n <> ALL (settled);
  IF some_n IS NOT NULL THEN
    settled := settled || some_n;
    RETURN QUERY
      SELECT i.n,
             CASE WHEN k.fingerprint = i.fingerprint THEN 'replayed' ELSE 'conflict' END,
             d.used, p.sessions_per_day, to_json(s)
        FROM json_to_recordset(items)
             AS i(n integer, claim bytea, fingerprint bytea, "projectId" text, day date)
        JOIN idempotency_keys k ON k.hash = i.claim
        JOIN sessions s ON s.id = k.session_id
        LEFT JOIN projects p ON p.id = i."projectId"
        LEFT JOIN daily_sessions d ON d.project_id = i."projectId" AND d.day = i.day
       WHERE i.n = ANY (some_n);
  END IF;

  SELECT array_agg(i.n) INTO some_n
    FROM json_to_recordset(items) AS i(n integer, "sessionId" text)
   WHERE i."sessionId" IS NULL AND i.n <> ALL (settled);
  IF some_n IS NOT NULL THEN
    settled := settled || some_n;
    RETURN QUERY SELECT u, 'absent', NULL::integer, NULL::integer, NULL::json FROM unnest(some_n) u;
  END IF;

  FOR tally IN
    SELECT i."projectId" AS project_id, i.day, array_agg(i.n ORDER BY i.n) AS members
      FROM json_to_recordset(items) AS i(n integer, "projectId" text, day date, counted boolean)
     WHERE i.counted AND i.n <> ALL (settled)
     GROUP BY i."projectId", i.day
     ORDER BY i."projectId" COLLATE "C", i.day
  LOOP
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
    RETURN QUERY
      SELECT tally.members[k], CASE WHEN k <= granted THEN 'recorded' ELSE 'quota_exceeded' END,
             taken + least(k, granted), allowance, NULL::json
        FROM generate_subscripts(tally.members, 1) k;
    settled := settled || tally.members[granted + 1 :];
  END LOOP;

  IF cardinality(settled) = json_array_length(items) THEN
    RETURN;
  END IF;

  INSERT INTO sessions
    SELECT s.* FROM json_to_recordset(items) AS i(n integer, session json),
           LATERAL json_populate_record(NULL::sessions, i.session) s
     WHERE i.n <> ALL (settled);

  -- A hash that is still there belongs to an expired claim that the cleanup has not reached yet.
  INSERT INTO idempotency_keys AS k (hash, fingerprint, session_id, expires_at)
    SELECT i.claim, i.fingerprint, i."sessionId", i."expiresAt"
      FROM json_to_recordset(items)
           AS i(n integer, claim bytea, fingerprint bytea, "sessionId" text, "expiresAt" timestamptz)
     WHERE i.claim IS NOT NULL AND i.n <> ALL (settled)
    ON CONFLICT (hash) DO UPDATE
      SET fingerprint = EXCLUDED.fingerprint, session_id = EXCLUDED.session_id, expires_at = EXCLUDED.expires_at;

  RETURN QUERY
    SELECT i.n, 'recorded', NULL::integer, NULL::integer, NULL::json
      FROM json_to_recordset(items) AS i(n integer, counted boolean)
     WHERE i.counted IS NOT TRUE AND i.n <> ALL (settled);
END $$;
