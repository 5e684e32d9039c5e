import type pg from 'pg';

/** Is told of every statement, and drops a connection on which no answer comes any more. */
export interface Watcher {
  begin(client: pg.Client, deadline: number): { isLost: boolean };
  end(statement: { isLost: boolean }): void;
}

/** How long a connection may take to come about, and how long its first statement. */
export const connectTimeout = 3_000;

/** A farewell that nobody answers is not waited for. */
const farewellMs = 1_000;

/** What is known of a connection beside what `pg` knows. */
interface Acquaintance {
  /** The process that works for it, also where a pooler stands in between. */
  backend: number;
  /** When the server last answered, by the clock of `performance`. */
  heardAt: number;
}

const acquaintances = new WeakMap<pg.ClientBase, Acquaintance>();

export function backendOf(client: pg.ClientBase): number {
  return acquaintances.get(client)?.backend ?? 0;
}

export function heardAt(client: pg.ClientBase): number {
  return acquaintances.get(client)?.heardAt ?? Number.NEGATIVE_INFINITY;
}

/** How every connection is opened. Nothing is sent along that a pooler could refuse. */
export function connectionConfig(url: string, name: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
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

/** The first thing on a new connection. It is of no use without, and is dropped when it fails. */
export async function prepare(watch: Watcher, client: pg.Client, statementTimeout: number): Promise<void> {
  // What breaks between two statements is told by the next one; an event that nobody listens to would end the process.
  client.on('error', () => undefined);
  try {
    const text = `${settings(statementTimeout)}; SELECT pg_backend_pid() AS backend`;
    const results = (await ask(watch, client, connectTimeout, text)) as unknown as pg.QueryResult[];
    acquaintances.set(client, { backend: results.at(-1)?.rows[0].backend, heardAt: performance.now() });
  } catch (error) {
    drop(client);
    throw error;
  }
}

/**
 * Sends a statement, and waits for its answer no longer than `deadline`. The server should have ended it by then; whoever hears
 * nothing at all is talking to nobody, and the connection is dropped.
 */
export async function ask(
  watch: Watcher,
  client: pg.Client,
  deadline: number,
  statement: pg.QueryConfig | string,
  values?: unknown[],
): Promise<pg.QueryResult> {
  const underWay = watch.begin(client, deadline);
  try {
    const result = await client.query(statement, values);
    const known = acquaintances.get(client);
    if (known) known.heardAt = performance.now();
    return result;
  } catch (error) {
    throw underWay.isLost ? new Error('the database has stopped answering', { cause: error }) : error;
  } finally {
    watch.end(underWay);
  }
}

/** Ends a connection without a word. A statement under way on it fails. */
export function drop(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** Ends a connection with a farewell, if there is somebody to take it. */
export async function close(client: pg.Client): Promise<void> {
  await withinFarewell(client.end().catch(() => undefined));
  drop(client);
}

/** Resolves when the work is done, or when it takes longer than a farewell may. */
export async function withinFarewell(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, farewellMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
