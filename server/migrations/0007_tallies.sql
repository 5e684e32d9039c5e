-- Counts of mints and refusals for the overview of a project, and its usage per day.

-- One row for each combination and minute, or later quarter of an hour or hour, which `minute` begins. Processes add to the same rows every
-- ten seconds; rows are deleted after eight days. No foreign keys: a count may be written after its project has been deleted.
CREATE TABLE tallies (
  project_id text COLLATE "C" NOT NULL,
  minute timestamptz(0) NOT NULL,
  door text COLLATE "C" NOT NULL,
  -- launched, replayed, or the error code of a refusal.
  code text COLLATE "C" NOT NULL,
  experience_id text COLLATE "C" NOT NULL,
  -- Empty for the server door, and for launches and replays; others beyond 50 combinations of a project.
  origin text COLLATE "C" NOT NULL,
  count integer NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (project_id, minute, door, code, experience_id, origin)
);
CREATE INDEX tallies_by_minute ON tallies (minute);

-- Durations of launches and replays: how many of the same intervals fell into each bucket of the histogram.
CREATE TABLE mint_durations (
  project_id text COLLATE "C" NOT NULL,
  minute timestamptz(0) NOT NULL,
  bucket smallint NOT NULL,
  count integer NOT NULL,
  PRIMARY KEY (project_id, minute, bucket)
);
CREATE INDEX mint_durations_by_minute ON mint_durations (minute);

-- Usage of the sessions that roll_up_usage has counted. All others are aggregated when usage is read: those with an id from
-- usage_progress.below on, and those in uncounted_sessions.
CREATE TABLE usage_days (
  project_id text COLLATE "C" NOT NULL,
  -- The UTC day of the mint.
  day date NOT NULL,
  experience_id text COLLATE "C" NOT NULL,
  sessions bigint NOT NULL,
  seconds bigint NOT NULL,
  PRIMARY KEY (project_id, day, experience_id),
  CONSTRAINT usage_days_not_negative CHECK (sessions >= 0 AND seconds >= 0)
);

-- How far the roll-up has come: at most one row.
CREATE TABLE usage_progress (
  is_only boolean PRIMARY KEY DEFAULT true,
  -- Sessions with smaller ids are in usage_days or in uncounted_sessions.
  below text COLLATE "C" NOT NULL,
  -- How far the current pass goes. A session that is recorded with a smaller id from now on is entered in uncounted_sessions.
  next text COLLATE "C" NOT NULL,
  -- The pass starts when all transactions up to this one have ended: they may not have seen `next`.
  announced_by xid8,
  CONSTRAINT usage_progress_one_row CHECK (is_only),
  CONSTRAINT usage_progress_in_order CHECK (below <= next)
);

-- The time of usage_progress.next plus one minute, in milliseconds. As a sequence, because a function can read it without a query:
-- record_launches looks into usage_progress only for sessions that are older.
CREATE SEQUENCE usage_announced;
-- A service whose role was granted the tables only needs it as well. It holds a time, nothing else.
GRANT SELECT, UPDATE ON SEQUENCE usage_announced TO PUBLIC;

-- Sessions below usage_progress.next that usage_days does not contain: active ones, and ones that were recorded late.
CREATE TABLE uncounted_sessions (
  session_id text COLLATE "C" PRIMARY KEY
);
