-- Counts the version of an operator, also for processes of the version before, which do not know the column.
CREATE OR REPLACE FUNCTION complete_operator() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.name, NEW.role, NEW.project_ids, NEW.token_hash) IS DISTINCT FROM (OLD.name, OLD.role, OLD.project_ids, OLD.token_hash) THEN
    NEW.version := OLD.version + 1;
  END IF;
  RETURN NEW;
END $$;
