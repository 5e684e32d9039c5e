-- Counts the changes of an operator, so that a change that is based on an earlier state is refused.
ALTER TABLE operators ADD COLUMN version integer NOT NULL DEFAULT 1;

--> include frozen/0014_complete_operator.sql

CREATE TRIGGER operators_completed BEFORE UPDATE ON operators
  FOR EACH ROW EXECUTE FUNCTION complete_operator();
