-- Stores a batch of connects and ends, in the order of the array. It gives the results that the same calls would give one after the other.
--
--   projects   the project of each change, see session_change
--   retrying   an earlier attempt to send the batch may have been committed: a connect whose number `attempt` is stored is active
--   lock_ms    maximum milliseconds to wait for each lock; null: until the statement times out
--
-- Returns the number n of each change in the array, from 0, with its outcome. A connect is one of:
--
--   active         with the session
--   connected      a client has connected before
--   ended          the session has ended, or its project is being deleted
--   limit          the project has reached concurrentSessions
--   client_limit   the client's network has reached concurrentSessionsPerClient
--
-- An end is ended_now, with the seconds that it added, or ended_before, each with the session. There is no row for a change of a session that
-- does not exist in its project. A session without a network counts for the first limit only.
--
-- IS TRUE keeps the planner from indexes that begin with the project: without statistics it may read all sessions of the project for each.
--
-- All functions that begin or end sessions lock in this order, which rules out deadlocks: the sessions, their rows in active_sessions, the
-- counters of their projects; several rows of a table by id. All locks are taken before the first change, since the triggers lock the
-- counters, too. Connects of active or ended sessions and ends of ended ones wait for no lock. Both limits are compared after the counters
-- are locked, so they are exact across processes.
--
-- The time since the last report is metered at an end, because later reports are ignored: nothing if the runtime reported that it waits for
-- the client, otherwise at most one report interval. A longer time without a report means that the runtime and the client's connection
-- have ended.
CREATE OR REPLACE FUNCTION change_sessions(changes session_change[], projects text[], retrying boolean, lock_ms integer)
RETURNS TABLE (n integer, outcome text, session json, added integer)
LANGUAGE plpgsql VOLATILE
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan
AS $$
#variable_conflict use_column
DECLARE
  report_interval CONSTANT interval := '5 seconds';
  is_created CONSTANT integer := 1;
  is_active CONSTANT integer := 2;
  is_over CONSTANT integer := 3;
  locked text[];
  counted text[];
  -- By index of the project.
  running integer[];
  allowed integer[];
  allowed_per_client integer[];
  is_deleted boolean[];
  -- By number of the session, once a change of this batch has set them.
  states integer[];
  networks text[];
  -- Networks of sessions that this batch has connected and ended, with their project.
  came text[] := '{}';
  went text[] := '{}';
  network text;
  state integer;
  near integer;
  one record;
  late sessions;
  unreported interval;
  metered integer;
  earliest timestamptz;
  begun integer[] := '{}';
  over integer[] := '{}';
  over_ids text[] := '{}';
  over_reasons text[] := '{}';
  over_seconds integer[] := '{}';
  over_added integer[] := '{}';
  unchanged integer[] := '{}';
BEGIN
  IF lock_ms IS NOT NULL THEN
    PERFORM set_config('lock_timeout', lock_ms::text, true);
  END IF;

  SELECT coalesce(array_agg(l.id), '{}'), coalesce(array_agg(DISTINCT l.project_id) FILTER (WHERE l.counts), '{}')
    INTO locked, counted
    FROM (SELECT s.id, s.project_id, s.started_at IS NOT NULL OR w.connects AS counts
            FROM (SELECT c.session_id, c.project_id, bool_or(c.reason IS NULL) AS connects, bool_or(c.reason IS NOT NULL) AS ends
                    FROM unnest(changes) AS c GROUP BY c.session_id, c.project_id) w
            JOIN sessions s ON s.id = w.session_id AND (s.project_id = w.project_id) IS TRUE
           WHERE s.ended_at IS NULL AND (s.started_at IS NULL OR w.ends)
           ORDER BY s.id FOR UPDATE OF s) l;
  IF locked <> '{}' THEN
    PERFORM 1 FROM active_sessions a WHERE a.session_id = ANY (locked) ORDER BY a.session_id FOR UPDATE;
  END IF;
  IF counted <> '{}' THEN
    INSERT INTO active_counts
      SELECT o.id, 0 FROM unnest(counted) AS o(id)
       WHERE NOT EXISTS (SELECT 1 FROM active_counts c WHERE c.project_id = o.id)
       ORDER BY o.id COLLATE "C"
      ON CONFLICT DO NOTHING;
    FOR one IN
      SELECT c.project_id, c.active FROM active_counts c WHERE c.project_id = ANY (counted) ORDER BY c.project_id FOR UPDATE
    LOOP
      running[array_position(projects, one.project_id)] := one.active;
    END LOOP;
    SELECT array_agg(p.concurrent_sessions ORDER BY o.place), array_agg(p.concurrent_sessions_per_client ORDER BY o.place),
           array_agg(p.deleted_at IS NOT NULL ORDER BY o.place)
      INTO allowed, allowed_per_client, is_deleted
      FROM unnest(projects) WITH ORDINALITY AS o(id, place) LEFT JOIN projects p ON p.id = o.id;
  END IF;

  FOR one IN
    SELECT c.place::integer - 1 AS n, c.session_id, c.project_id, c.session, c.project, c.client, c.reason, s.created_at,
           CASE WHEN s.ended_at IS NOT NULL THEN is_over WHEN s.started_at IS NOT NULL THEN is_active WHEN s.id IS NOT NULL THEN is_created END AS state,
           a.client AS network, a.waiting AS is_waiting, a.started_at, a.reported_at, a.seconds, a.attempt = c.attempt AS is_own
      FROM unnest(changes) WITH ORDINALITY
             AS c(session_id, project_id, session, project, runtime_id, client, attempt, reason, place)
      LEFT JOIN sessions s ON s.id = c.session_id AND (s.project_id = c.project_id) IS TRUE
      LEFT JOIN active_sessions a ON a.session_id = s.id
     ORDER BY c.place
  LOOP
    n := one.n;
    state := coalesce(states[one.session], one.state);
    IF state IS NULL THEN
      CONTINUE;
    END IF;
    IF (state = is_created OR state = is_active AND one.reason IS NOT NULL) AND array_position(locked, one.session_id) IS NULL THEN
      -- The session was committed after the locks were taken.
      RAISE EXCEPTION 'session % was not locked', one.session_id USING ERRCODE = 'serialization_failure';
    END IF;
    IF one.reason IS NULL THEN
      IF state = is_active AND retrying AND one.is_own THEN
        unchanged := unchanged || one.n;
        CONTINUE;
      END IF;
      network := one.project || ' ' || one.client;
      IF state = is_active THEN
        outcome := 'connected';
      ELSIF state = is_over OR is_deleted[one.project] THEN
        outcome := 'ended';
      ELSIF running[one.project] >= allowed[one.project] THEN
        outcome := 'limit';
      ELSE
        outcome := 'active';
        IF allowed_per_client[one.project] IS NOT NULL AND network IS NOT NULL THEN
          SELECT count(*) INTO near FROM active_sessions a WHERE a.project_id = one.project_id AND a.client = one.client;
          near := near + cardinality(array_positions(came, network)) - cardinality(array_positions(went, network));
          IF near >= allowed_per_client[one.project] THEN
            outcome := 'client_limit';
          END IF;
        END IF;
      END IF;
      IF outcome = 'active' THEN
        states[one.session] := is_active;
        networks[one.session] := network;
        running[one.project] := running[one.project] + 1;
        IF allowed_per_client[one.project] IS NOT NULL THEN
          came := came || network;
        END IF;
        earliest := least(earliest, one.created_at);
        begun := begun || one.n;
      ELSE
        RETURN NEXT;
      END IF;
    ELSIF state = is_over THEN
      unchanged := unchanged || one.n;
    ELSE
      metered := 0;
      IF state = is_active THEN
        IF one.started_at IS NOT NULL THEN
          unreported := '0';
          IF NOT one.is_waiting THEN
            unreported := greatest(least(now() - one.reported_at, report_interval), '0');
          END IF;
          metered := least(
            floor(extract(epoch FROM one.reported_at - one.started_at + unreported)),
            one.seconds + floor(extract(epoch FROM unreported)));
        END IF;
        running[one.project] := running[one.project] - 1;
        IF allowed_per_client[one.project] IS NOT NULL THEN
          went := went || coalesce(networks[one.session], one.project || ' ' || one.network);
        END IF;
      END IF;
      states[one.session] := is_over;
      over := over || one.n;
      over_ids := over_ids || one.session_id;
      over_reasons := over_reasons || one.reason;
      over_seconds := over_seconds || metered;
      over_added := over_added || metered - coalesce(one.seconds, 0);
    END IF;
  END LOOP;

  IF begun <> '{}' THEN
    RETURN QUERY
      WITH connected AS (
        UPDATE sessions s SET started_at = greatest(now(), s.created_at), runtime_id = c.runtime_id
          FROM unnest(changes) WITH ORDINALITY
                 AS c(session_id, project_id, session, project, runtime_id, client, attempt, reason, place)
         WHERE c.place - 1 = ANY (begun) AND s.id = c.session_id
        RETURNING c.place::integer - 1 AS n, c.client, c.attempt, s.id, s.project_id, s.runtime_id, s.started_at, to_json(s) AS session
      ), reported AS (
        INSERT INTO active_sessions (session_id, project_id, runtime_id, started_at, reported_at, client, attempt)
          SELECT c.id, c.project_id, c.runtime_id, c.started_at, c.started_at, c.client, c.attempt FROM connected c
      )
      SELECT c.n, 'active', c.session, NULL::integer FROM connected c;
    IF extract(epoch FROM earliest) * 1000 < pg_sequence_last_value('usage_announced') THEN
      FOR late IN
        SELECT s.* FROM unnest(changes) WITH ORDINALITY
                 AS c(session_id, project_id, session, project, runtime_id, client, attempt, reason, place)
          JOIN sessions s ON s.id = c.session_id
         WHERE c.place - 1 = ANY (begun) AND s.id < (SELECT p.next FROM usage_progress p WHERE p.is_only)
         ORDER BY s.project_id, s.experience_id, s.created_at
      LOOP
        PERFORM reopen_usage(late);
      END LOOP;
    END IF;
  END IF;

  IF over <> '{}' THEN
    DELETE FROM active_sessions a WHERE a.session_id = ANY (over_ids);
    -- The clock may have been set back since a session began.
    RETURN QUERY
      UPDATE sessions s
         SET ended_at = greatest(now(), s.created_at, s.started_at + make_interval(secs => o.seconds)),
             end_reason = o.reason, seconds = o.seconds
        FROM unnest(over, over_ids, over_reasons, over_seconds, over_added) AS o(n, id, reason, seconds, added)
       WHERE s.id = o.id
      RETURNING o.n, 'ended_now', to_json(s), o.added;
  END IF;

  IF (begun <> '{}' OR over <> '{}') AND pg_sequence_last_value('webhooks_in_use') IS NOT NULL THEN
    INSERT INTO outbox (project_id, type, subject)
      SELECT c.project_id, c.type, c.session_id
        FROM (SELECT w.project_id, w.session_id, w.place, CASE WHEN w.reason IS NULL THEN 'session.started' ELSE 'session.ended' END AS type
                FROM unnest(changes) WITH ORDINALITY
                       AS w(session_id, project_id, session, project, runtime_id, client, attempt, reason, place)
               WHERE w.place - 1 = ANY (begun || over)) c
       WHERE EXISTS (SELECT 1 FROM webhooks w WHERE w.project_id = c.project_id AND c.type = ANY (w.events))
       ORDER BY c.place;
  END IF;

  IF unchanged <> '{}' THEN
    RETURN QUERY
      SELECT c.place::integer - 1, CASE WHEN c.reason IS NULL THEN 'active' ELSE 'ended_before' END, to_json(s), 0
        FROM unnest(changes) WITH ORDINALITY
               AS c(session_id, project_id, session, project, runtime_id, client, attempt, reason, place)
        JOIN sessions s ON s.id = c.session_id
       WHERE c.place - 1 = ANY (unchanged);
  END IF;
END $$;
