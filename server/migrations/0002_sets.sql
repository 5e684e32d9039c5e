-- All of them at once, and before anything else: a lock that grew stronger later could meet a mint that waits for this one.
LOCK TABLE sessions, experiences, revisions IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
-- A batch of sessions names one or a few revisions, and a foreign key looks each of them up again for every row: that
-- was a third of what a mint cost the database. A revision is never changed or removed, so it is enough to look when rows are
-- inserted, once for each that a statement names.
CREATE FUNCTION require_revisions() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
DECLARE
  missing record;
BEGIN
  SELECT named.*, e.id IS NULL AS experience INTO missing
    FROM (SELECT DISTINCT f.project_id, f.experience_id, f.revision FROM fresh f) named
    LEFT JOIN experiences e ON e.id = named.experience_id AND e.project_id = named.project_id
    LEFT JOIN revisions r ON r.experience_id = e.id AND r.number = named.revision
   WHERE r.number IS NULL
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'there is no revision % of % in %', missing.revision, missing.experience_id, missing.project_id
      USING ERRCODE = 'foreign_key_violation', TABLE = 'sessions',
            CONSTRAINT = CASE WHEN missing.experience THEN 'sessions_experience_of_project' ELSE 'sessions_revision' END;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER sessions_revisions_exist AFTER INSERT ON sessions REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION require_revisions();
--> statement-breakpoint
-- What was looked up stays true: neither side of it changes.
CREATE TRIGGER sessions_revision_stays BEFORE UPDATE OF project_id, experience_id, revision ON sessions
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER experiences_project_stays BEFORE UPDATE OF project_id ON experiences
  FOR EACH ROW WHEN (OLD.project_id IS DISTINCT FROM NEW.project_id) EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER revisions_stay BEFORE TRUNCATE ON revisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
ALTER TABLE "sessions" DROP CONSTRAINT "sessions_experience_of_project";
--> statement-breakpoint
ALTER TABLE "sessions" DROP CONSTRAINT "sessions_revision";
--> statement-breakpoint
-- What a mint hands in. Types of their own, so that a column more in a table does not change what processes of the version
-- before have to send; and arrays of them, which cost the database half of what JSON does.
CREATE TYPE session_to_record AS (
  id text,
  project_id text,
  experience_id text,
  revision integer,
  livemode boolean,
  source text,
  origin text,
  user_id text,
  processor_id text,
  mode text,
  speech_input_mode text,
  speech_only boolean,
  locale text,
  secondary_locale text,
  player json,
  created_at timestamptz,
  token_issued_at bigint,
  token_expires_at bigint,
  token_issuer text,
  token_key_id text
);
--> statement-breakpoint
-- The claim of an Idempotency-Key.
--
--   n             the number of its mint in the batch
--   hash          of scope and key; the lock is 64 bits of it
--   fingerprint   of the body
--   session_id    null when a fresh mint was refused already, and only a replay may answer
--   project_id    with the day: where the daily quota counts the mint
CREATE TYPE claim_to_record AS (
  n integer,
  hash bytea,
  lock bigint,
  fingerprint bytea,
  session_id text,
  expires_at timestamptz,
  project_id text,
  day date
);
--> statement-breakpoint
-- The launches that exist under these claims, and whether each came with the same body.
CREATE FUNCTION launches_under(claims claim_to_record[])
RETURNS TABLE (outcome text, n integer, used integer, quota integer, prior json)
LANGUAGE plpgsql STABLE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT CASE WHEN k.fingerprint = c.fingerprint THEN 'replayed' ELSE 'conflict' END,
           c.n, CASE WHEN c.project_id IS NOT NULL THEN coalesce(d.used, 0) END, p.sessions_per_day, to_json(s)
      FROM unnest(claims) AS c
      JOIN idempotency_keys k ON k.hash = c.hash AND k.expires_at > now()
      JOIN sessions s ON s.id = k.session_id
      LEFT JOIN projects p ON p.id = c.project_id
      LEFT JOIN daily_sessions d ON d.project_id = c.project_id AND d.day = c.day;
END $$;
--> statement-breakpoint
-- Records a batch of mints: claims of idempotency keys, daily quota and session rows commit together. It takes the place
-- of record_mints, which stays, like find_launches, for processes of the version before.
--
--   fresh     sessions to insert; the place of a mint in this array, from 0, is its number n in the batch
--   claims    one for each mint with an Idempotency-Key; a mint of which only a replay may come has no session,
--             and its n lies beyond them
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
CREATE FUNCTION record_sessions(fresh session_to_record[], claims claim_to_record[], tallies json, retrying boolean)
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
    -- The connection was lost before the answer to an earlier attempt arrived; it may have been committed.
    SELECT array_agg(place - 1) INTO some_n
      FROM generate_subscripts(fresh, 1) AS place JOIN sessions s ON s.id = (fresh[place]).id;
    settled := settled || coalesce(some_n, '{}');
  END IF;

  IF claims IS NOT NULL THEN
    SELECT array_agg(c.n) FILTER (WHERE NOT c.free) INTO busy
      FROM (SELECT i.n, pg_try_advisory_xact_lock(i.lock) AS free
              FROM unnest(claims) AS i
             WHERE i.n <> ALL (settled)) c;

    -- A launch that exists answers whoever holds the lock: that is then another replay, or has just finished.
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

  INSERT INTO sessions (id, project_id, experience_id, revision, livemode, source, origin, user_id, processor_id, mode,
                        speech_input_mode, speech_only, locale, secondary_locale, player, created_at,
                        token_issued_at, token_expires_at, token_issuer, token_key_id)
    SELECT s.id, s.project_id, s.experience_id, s.revision, s.livemode, s.source, s.origin, s.user_id, s.processor_id, s.mode,
           s.speech_input_mode, s.speech_only, s.locale, s.secondary_locale, s.player, s.created_at,
           s.token_issued_at, s.token_expires_at, s.token_issuer, s.token_key_id
      FROM unnest(fresh) WITH ORDINALITY
           AS s(id, project_id, experience_id, revision, livemode, source, origin, user_id, processor_id, mode,
                speech_input_mode, speech_only, locale, secondary_locale, player, created_at,
                token_issued_at, token_expires_at, token_issuer, token_key_id, place)
     WHERE s.place - 1 <> ALL (settled);

  IF claims IS NOT NULL THEN
    -- A hash that is still there belongs to an expired claim that the cleanup has not reached yet.
    INSERT INTO idempotency_keys AS k (hash, fingerprint, session_id, expires_at)
      SELECT i.hash, i.fingerprint, i.session_id, i.expires_at
        FROM unnest(claims) AS i
       WHERE i.n <> ALL (settled)
      ON CONFLICT (hash) DO UPDATE
        SET fingerprint = EXCLUDED.fingerprint, session_id = EXCLUDED.session_id, expires_at = EXCLUDED.expires_at;
  END IF;
END $$;
