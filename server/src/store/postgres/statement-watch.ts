import type { Socket } from 'node:net';
import pg from 'pg';
import { isConnectTimeout, isRolledBack } from '../database-errors.ts';
import { backendOf, connectionConfig, drop } from './connection.ts';

const checkEvery = 250;
/** Milliseconds after which the watch asks the server whether it still works on a statement; repeated at this interval. */
const askAfter = 2_000;
const answerTimeout = 3_000;
/**
 * Consecutive questions about a statement, to a server that accepts TCP connections, that may time out before its connection counts as
 * dead. One is not enough: a busy server takes seconds to start a backend.
 */
const maxTimeouts = 2;

/** A statement that was sent and is not answered yet. */
interface InFlight {
  readonly client: pg.Client;
  readonly since: number;
  readonly deadline: number;
  askedAt: number;
  /** Questions in a row about this statement that timed out. */
  timeouts: number;
  /** Rejects the statement: its connection was destroyed. */
  isLost: boolean;
}

/**
 * Finds dead connections. If the network drops a connection silently, a statement on it looks like a slow one. A new connection asks the
 * server which statements it is working on; every other statement that is still waiting is on a dead connection.
 */
export class StatementWatch {
  readonly #url: string;
  readonly #onSilence: () => void;
  readonly #inFlight = new Set<InFlight>();
  readonly #timer: NodeJS.Timeout;
  #asking = false;

  constructor(url: string, onSilence: () => void = () => undefined) {
    this.#url = url;
    this.#onSilence = onSilence;
    // After a long tick, read the responses that have already arrived first.
    this.#timer = setInterval(() => setImmediate(() => this.#check()), checkEvery);
    this.#timer.unref();
  }

  /** Registers a statement before it is sent. Its connection is destroyed at the deadline. */
  begin(client: pg.Client, deadline: number): InFlight {
    const since = performance.now();
    const statement = { client, since, deadline, askedAt: since, timeouts: 0, isLost: false };
    this.#inFlight.add(statement);
    return statement;
  }

  end(statement: InFlight): void {
    this.#inFlight.delete(statement);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#inFlight.size === 0) return;
    const now = performance.now();
    const all = [...this.#inFlight];
    this.#drop(all.filter(({ since, deadline }) => now - since > deadline));
    // The backend of a connection that is still being opened is unknown; its own deadline applies.
    const slow = all.filter(
      ({ client, askedAt }) => now - askedAt > askAfter && backendOf(client) !== undefined,
    );
    if (slow.length > 0 && !this.#asking) void this.#askServer(slow);
  }

  async #askServer(slow: InFlight[]): Promise<void> {
    this.#asking = true;
    const working = await backendsAtWork(
      this.#url,
      slow.map(({ client }) => backendOf(client)!),
    );
    this.#asking = false;
    const now = performance.now();
    for (const statement of slow) {
      // After a timeout, the next check asks again.
      if (working === 'timeout') statement.timeouts++;
      else Object.assign(statement, { askedAt: now, timeouts: 0 });
    }
    if (working === undefined) return;
    const silent =
      working === 'timeout'
        ? slow.filter(({ timeouts }) => timeouts >= maxTimeouts)
        : slow.filter(({ client }) => !working.has(backendOf(client)!));
    // Read responses that were sent before this one first.
    setImmediate(() => this.#drop(silent));
  }

  #drop(silent: InFlight[]): void {
    const lost = silent.filter((statement) => this.#inFlight.delete(statement));
    if (lost.length === 0) return;
    for (const statement of lost) {
      statement.isLost = true;
      drop(statement.client);
    }
    this.#onSilence();
  }
}

/** A backend that waits for its client is not working, although it may be in the middle of a statement whose end was lost. */
const atWork = `
  SELECT pid FROM pg_stat_activity
   WHERE pid = ANY ($1::integer[]) AND coalesce(state, '') NOT LIKE 'idle%' AND wait_event IS DISTINCT FROM 'ClientRead'`;

/**
 * Returns which of these backends are working on a statement; none if no connection can be opened. Returns `timeout` if the server accepts
 * the TCP connection but does not answer in time, and `undefined` if it answers with an error, such as too many connections.
 */
async function backendsAtWork(url: string, backends: number[]): Promise<Set<number> | 'timeout' | undefined> {
  const client = new pg.Client({
    ...connectionConfig(url, 'session-launch watch'),
    query_timeout: answerTimeout,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (isRolledBack(error)) return undefined;
    // The startup packet is the first thing to be sent, once TCP is connected.
    const isAccepted = (client.connection.stream as Socket).bytesWritten > 0;
    return isConnectTimeout(error) && isAccepted ? 'timeout' : new Set();
  }
  try {
    const { rows } = await client.query<{ pid: number }>(atWork, [backends]);
    return new Set(rows.map(({ pid }) => pid));
  } catch {
    return undefined;
  } finally {
    drop(client);
  }
}
