-- Version 0.1.0 calls this. Without the client's network: a session that an old process connects does not count for the limit per client.
CREATE OR REPLACE FUNCTION connect_session(wanted text, runtime text)
RETURNS TABLE (outcome text, session json)
LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
  RETURN QUERY SELECT c.outcome, c.session FROM connect_client(wanted, runtime, NULL) c;
END $$;
