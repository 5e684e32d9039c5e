-- A connect or an end that change_sessions stores.
--
--   session     numbers the sessions of a batch from 1: two changes of one session have the same number
--   project     the index of its project in the parameter `projects`, from 1
--   runtime_id  of a connect, as are client and attempt
--   reason      of an end; null for a connect
CREATE TYPE session_change AS (
  session_id text,
  project_id text,
  session integer,
  project integer,
  runtime_id text,
  client text,
  attempt bigint,
  reason text
);

-- A random number of the connect that started the session. A connect that is sent again because its connection was lost finds its own row.
ALTER TABLE active_sessions ADD COLUMN attempt bigint;
