-- Counts the version of a project when a setting changes. A change of the order or of the list of experiences counts it explicitly.
CREATE OR REPLACE FUNCTION complete_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.version = OLD.version
     AND (NEW.name, NEW.browser_embeds, NEW.allowed_origins, NEW.mints_per_minute_per_client, NEW.mints_per_minute,
          NEW.sessions_per_day, NEW.concurrent_sessions, NEW.concurrent_sessions_per_client)
         IS DISTINCT FROM
         (OLD.name, OLD.browser_embeds, OLD.allowed_origins, OLD.mints_per_minute_per_client, OLD.mints_per_minute,
          OLD.sessions_per_day, OLD.concurrent_sessions, OLD.concurrent_sessions_per_client)
  THEN
    NEW.version := OLD.version + 1;
  END IF;
  RETURN NEW;
END $$;
