import type pg from 'pg';

/** Milliseconds that a connection may take to open while a request waits for it. */
export const connectTimeout = 3_000;
/** The same for connections that only a start waits for: a busy server takes seconds to start a backend. */
export const startTimeout = 10_000;

/** Milliseconds to wait for a graceful disconnect. */
const closeTimeout = 1_000;

/** Options of every connection. Sends no settings that a pooler could reject. */
export function connectionConfig(url: string, name: string, timeout = connectTimeout): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Data about a connection in addition to that of `pg`. */
interface Known {
  /** Process id of its backend, also behind a pooler. */
  readonly backend: number;
  /** When the server last answered, by the clock of `performance`. */
  answeredAt: number;
}

const known = new WeakMap<pg.ClientBase, Known>();

export function register(client: pg.ClientBase, backend: number): void {
  known.set(client, { backend, answeredAt: performance.now() });
}

export function recordAnswer(client: pg.ClientBase): void {
  const one = known.get(client);
  if (one) one.answeredAt = performance.now();
}

/** `undefined` until the handshake is complete. */
export function backendOf(client: pg.ClientBase): number | undefined {
  return known.get(client)?.backend;
}

export function hasReceivedSince(client: pg.ClientBase, time: number): boolean {
  return (known.get(client)?.answeredAt ?? Number.NEGATIVE_INFINITY) > time;
}

/** Destroys a connection. A statement in flight on it fails. */
export function drop(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** Closes a connection gracefully, if it is still open. */
export async function close(client: pg.Client): Promise<void> {
  await untilClosed(client.end().catch(() => undefined));
  drop(client);
}

/** Resolves when all connections are closed, or after the time limit. */
export async function untilClosed(closed: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closeTimeout);
  });
  await Promise.race([closed, late]).finally(() => clearTimeout(timer));
}
