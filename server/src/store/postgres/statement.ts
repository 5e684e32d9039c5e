import type pg from 'pg';
import { connectTimeout, drop, recordAnswer, register } from './connection.ts';
import type { StatementWatch } from './statement-watch.ts';

/**
 * Sends a statement and waits for its result until `deadline`. The server's own statement timeout fires earlier, so if no response has
 * arrived by then the connection is dead and is destroyed.
 */
export async function ask(
  watch: StatementWatch,
  client: pg.Client,
  deadline: number,
  statement: pg.QueryConfig | string,
  values?: unknown[],
): Promise<pg.QueryResult> {
  const inFlight = watch.begin(client, deadline);
  try {
    const result = await client.query(statement, values);
    recordAnswer(client);
    return result;
  } catch (error) {
    throw inFlight.isLost ? new Error('the database has stopped responding', { cause: error }) : error;
  } finally {
    watch.end(inFlight);
  }
}

/** Configures a new connection; if that fails, the connection is not used. */
export async function prepare(
  watch: StatementWatch,
  client: pg.Client,
  statementTimeout: number,
): Promise<void> {
  // An error between two statements is reported by the next one; without a listener it would crash the process.
  client.on('error', () => undefined);
  try {
    const text = `${settings(statementTimeout)}; SELECT pg_backend_pid() AS backend`;
    const results = (await ask(watch, client, connectTimeout, text)) as unknown as pg.QueryResult[];
    register(client, results.at(-1)?.rows[0].backend);
  } catch (error) {
    drop(client);
    throw error;
  }
}

/**
 * Settings that the service relies on, overriding those of the server, database or role. Sent as a statement, because poolers accept
 * few settings in the startup packet.
 */
function settings(statementTimeout: number): string {
  const values = {
    client_encoding: 'UTF8',
    datestyle: 'ISO, YMD',
    timezone: 'UTC',
    search_path: 'public',
    default_transaction_isolation: 'read committed',
    lock_timeout: '0',
    // No statement runs long enough to repay compilation, which can take longer than the statement, under locks that mints wait for.
    jit: 'off',
    statement_timeout: String(statementTimeout),
    // Otherwise a transaction whose client disappeared holds its locks until the server notices, possibly for hours.
    idle_in_transaction_session_timeout: '30s',
  };
  return Object.entries(values)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');
}
