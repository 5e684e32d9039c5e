import type pg from 'pg';

/** Milliseconds that a connection may take to open while a request waits for it. */
export const connectTimeout = 3_000;
/** The same for connections that only a start waits for: a busy server takes seconds to start a backend. */
export const startTimeout = 10_000;

/** A farewell that nobody answers is not waited for any longer. */
const farewellTimeout = 1_000;

/** How every connection is opened. Nothing is sent along that a pooler could refuse. */
export function connectionConfig(url: string, name: string, timeout = connectTimeout): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** What is known of a connection beside what `pg` knows. */
interface Known {
  /** The process that works for it, also where a pooler stands in between. */
  readonly backend: number;
  /** When the server last answered, by the clock of `performance`. */
  heardAt: number;
}

const known = new WeakMap<pg.ClientBase, Known>();

export function introduce(client: pg.ClientBase, backend: number): void {
  known.set(client, { backend, heardAt: performance.now() });
}

export function heardFrom(client: pg.ClientBase): void {
  const one = known.get(client);
  if (one) one.heardAt = performance.now();
}

/** Undefined until the server has introduced itself. */
export function backendOf(client: pg.ClientBase): number | undefined {
  return known.get(client)?.backend;
}

export function wasHeardSince(client: pg.ClientBase, time: number): boolean {
  return (known.get(client)?.heardAt ?? Number.NEGATIVE_INFINITY) > time;
}

/** Ends a connection without a word. A statement under way on it fails. */
export function drop(client: pg.Client): void {
  client.connection.stream.destroy();
}

/** Ends a connection with a farewell, if there is somebody to take it. */
export async function close(client: pg.Client): Promise<void> {
  await untilFarewell(client.end().catch(() => undefined));
  drop(client);
}

/** Resolves when farewells are said, or when they take too long. */
export async function untilFarewell(said: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, farewellTimeout);
  });
  await Promise.race([said, late]).finally(() => clearTimeout(timer));
}
