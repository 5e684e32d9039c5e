-- Requests that the service sends when something happens in a project.
CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  url text NOT NULL,
  name text,
  events text[] NOT NULL,
  -- Sealed: see server/src/outbound/sealed-secret.ts.
  secret text NOT NULL,
  former_secret text,
  former_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  disabled_reason text,
  created_at timestamptz(3) NOT NULL,
  -- Its sequence has a value as soon as the first webhook is created, also before that is committed: until then, functions skip the
  -- query for webhooks.
  number bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME webhooks_in_use),
  CONSTRAINT webhooks_id_format CHECK (id ~ '^whk_[A-Za-z0-9_-]{1,64}$'),
  CONSTRAINT webhooks_url_bounded CHECK (octet_length(url) BETWEEN 1 AND 8192),
  CONSTRAINT webhooks_events_some CHECK (cardinality(events) > 0),
  CONSTRAINT webhooks_former_secret_ends CHECK ((former_secret IS NULL) = (former_secret_until IS NULL)),
  CONSTRAINT webhooks_disabled_has_reason CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
  CONSTRAINT webhooks_disabled_reason_known CHECK (disabled_reason IN ('operator', 'gone', 'failing'))
);
CREATE INDEX webhooks_by_project ON webhooks (project_id, id);
-- Roles of processes may have privileges on tables only.
GRANT SELECT ON SEQUENCE webhooks_in_use TO PUBLIC;

-- The state of the deliveries of a webhook. Apart from its settings, because it changes with each batch.
CREATE TABLE webhook_queues (
  webhook_id text COLLATE "C" PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Time of the next attempt; null if no delivery is pending. -infinity, for first attempts, does not depend on the clock of the database.
  due_at timestamptz,
  is_paused boolean NOT NULL DEFAULT false,
  -- Until then nothing is sent, because the receiver does not respond.
  held_until timestamptz(3),
  failing_since timestamptz(3),
  last_delivered_at timestamptz(3),
  -- The process that sends, until another one may take over.
  worker text,
  leased_until timestamptz(3)
) WITH (fillfactor = 50);
CREATE INDEX webhook_queues_due ON webhook_queues (due_at) WHERE due_at IS NOT NULL;

-- Events that a transaction has written beside its change, in no order that readers could rely on: a transaction with a higher number may
-- commit earlier. sequence_events moves them to webhook_events.
CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  -- The session or the experience.
  subject text COLLATE "C" NOT NULL,
  -- Of experience.published.
  revision integer,
  at timestamptz(3) NOT NULL DEFAULT now()
);

-- Sessions of projects with a webhook for session.expired, until expire_sessions has looked at them.
CREATE TABLE session_expiries (
  session_id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX session_expiries_by_time ON session_expiries (expires_at);

-- Events in the order of their ids, which is the order in which webhooks get them.
CREATE TABLE webhook_events (
  id text COLLATE "C" PRIMARY KEY,
  project_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  at timestamptz(3) NOT NULL,
  subject text COLLATE "C" NOT NULL,
  -- The row of the session, or what is known of the experience.
  data json NOT NULL,
  CONSTRAINT webhook_events_id_format CHECK (starts_with(id, 'evt_') AND octet_length(id) <= 68)
);
CREATE INDEX webhook_events_by_time ON webhook_events (project_id, type, at, id);
CREATE INDEX webhook_events_by_subject ON webhook_events (subject);

-- The last id of webhook_events. Its row is the lock of sequence_events.
CREATE TABLE webhook_progress (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_id text COLLATE "C" NOT NULL
);
INSERT INTO webhook_progress (last_id) VALUES ('');

-- Without foreign keys: housekeeping deletes the rows of deleted webhooks.
CREATE TABLE webhook_deliveries (
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  -- Attempts since the event was queued or replayed; all of them, with those that are no longer listed.
  tries integer NOT NULL DEFAULT 0,
  attempt_count integer NOT NULL DEFAULT 0,
  -- Of a pending delivery that waits for its next attempt.
  next_at timestamptz(3),
  attempts jsonb,
  PRIMARY KEY (webhook_id, event_id),
  CONSTRAINT webhook_deliveries_status_known CHECK (status IN ('pending', 'delivered', 'failed'))
);
-- What is sent next, and when.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at NULLS FIRST, event_id) WHERE status = 'pending';
-- For lists by status. One for each: an index of all statuses could also be used, slowly, to find a delivery by its event.
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, event_id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_delivered ON webhook_deliveries (webhook_id, event_id) WHERE status = 'delivered';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, event_id) WHERE status = 'failed';

--> include frozen/0017_announce_publication.sql

CREATE TRIGGER experiences_published AFTER INSERT ON experiences
  FOR EACH ROW WHEN (NEW.published_revision IS NOT NULL) EXECUTE FUNCTION announce_publication();
CREATE TRIGGER experiences_published_again AFTER UPDATE ON experiences
  FOR EACH ROW WHEN (NEW.published_revision IS DISTINCT FROM OLD.published_revision AND NEW.published_revision IS NOT NULL)
  EXECUTE FUNCTION announce_publication();
