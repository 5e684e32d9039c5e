import type pg from 'pg';
import { connectTimeout, drop, heardFrom, introduce } from './connection.ts';
import type { Watch } from './watch.ts';

/**
 * Sends a statement, and waits for its answer no longer than `deadline`. The server should have ended it by then: whoever has heard
 * nothing is talking to nobody, and the connection is dropped.
 */
export async function ask(
  watch: Watch,
  client: pg.Client,
  deadline: number,
  statement: pg.QueryConfig | string,
  values?: unknown[],
): Promise<pg.QueryResult> {
  const underWay = watch.begin(client, deadline);
  try {
    const result = await client.query(statement, values);
    heardFrom(client);
    return result;
  } catch (error) {
    throw underWay.isLost ? new Error('the database has stopped answering', { cause: error }) : error;
  } finally {
    watch.end(underWay);
  }
}

/** The first thing on a new connection, which is of no use without it. */
export async function prepare(watch: Watch, client: pg.Client, statementTimeout: number): Promise<void> {
  // What breaks between two statements is told by the next one; an event that nobody listens to would end the process.
  client.on('error', () => undefined);
  try {
    const text = `${settings(statementTimeout)}; SELECT pg_backend_pid() AS backend`;
    const results = (await ask(watch, client, connectTimeout, text)) as unknown as pg.QueryResult[];
    introduce(client, results.at(-1)?.rows[0].backend);
  } catch (error) {
    drop(client);
    throw error;
  }
}

/**
 * What the service relies on, whatever a server, a database or a role has set. Sent as a statement, since poolers take
 * few settings with the startup packet.
 */
function settings(statementTimeout: number): string {
  const values = {
    client_encoding: 'UTF8',
    datestyle: 'ISO, YMD',
    timezone: 'UTC',
    search_path: 'public',
    default_transaction_isolation: 'read committed',
    lock_timeout: '0',
    statement_timeout: String(statementTimeout),
    // A transaction whose client was cut off would hold its locks until the server notices, for hours maybe.
    idle_in_transaction_session_timeout: '30s',
  };
  return Object.entries(values)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');
}
