-- Permits the transaction to delete revisions. Waits for mints that are being written, and blocks others in all processes until the
-- transaction ends, so that no session without its revision is recorded: see require_revisions.
--
-- If the process that called this is suspended, or its connection is lost, PostgreSQL ends the transaction after two seconds instead of
-- the 30 that the service sets for others. The embedded engine has no such timeout (0): a single process uses it.
CREATE OR REPLACE FUNCTION lock_out_mints() RETURNS void
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  IF current_setting('idle_in_transaction_session_timeout') <> '0' THEN
    PERFORM set_config('idle_in_transaction_session_timeout', '2s', true);
  END IF;
  PERFORM set_config('session_launch.deleting', 'on', true);
  PERFORM pg_advisory_xact_lock(7315042019);
END $$;
