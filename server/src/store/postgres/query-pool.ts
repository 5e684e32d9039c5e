import pg from 'pg';
import type { PoolState, Transaction } from '../database.ts';
import { isOutage, isReadOnly, isRolledBack, NeverSent } from '../database-errors.ts';
import { connectionConfig, connectTimeout, drop, hasReceivedSince, untilClosed } from './connection.ts';
import { ask, prepare } from './statement.ts';
import type { StatementWatch } from './statement-watch.ts';

export interface QueryPoolSettings {
  /** Maximum number of connections. */
  max: number;
  /** Statement timeout on the server, in milliseconds. */
  statementTimeout: number;
}

export interface QueryPoolDeps {
  url: string;
  watch: StatementWatch;
  /** Called when an idle connection breaks; it is replaced when needed. */
  onIdleError(error: Error): void;
  /** Called when the server is a standby. */
  onReadOnly(): void;
}

/** Extra milliseconds beyond the server's statement timeout before the connection counts as dead. */
const grace = 1_000;
/** Number of intervals into which `connectTimeout` is divided. A stall of this process counts as one of them. */
const connectSteps = 12;

/**
 * A connection pool for one kind of work. Acquiring a connection and sending a statement are separate steps: if the first fails, the
 * statement was never sent. A connection is always returned, and is reused only if its last statement was answered.
 */
export class QueryPool {
  readonly #deps: QueryPoolDeps;
  readonly #pool: pg.Pool;
  readonly #open = new Set<pg.PoolClient>();
  readonly #deadline: number;
  #distrustedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: QueryPoolDeps, { max, statementTimeout }: QueryPoolSettings) {
    this.#deps = deps;
    this.#deadline = statementTimeout + grace;
    this.#pool = new pg.Pool({
      // `#connect` gives up earlier. By its own timers, the pool would give up on connections that opened while this process was stalled.
      ...connectionConfig(deps.url, 'session-launch', 2 * connectTimeout),
      max,
      idleTimeoutMillis: 60_000,
      // `pg` awaits the result, although its type does not say so.
      onConnect: (client) => prepare(deps.watch, client as pg.Client, statementTimeout),
    });
    this.#pool.on('error', (error) => deps.onIdleError(error));
    this.#pool.on('connect', (client) => this.#open.add(client));
    this.#pool.on('remove', (client) => this.#open.delete(client));
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    // A request that can take an idle connection does not count as waiting.
    return { total: totalCount, idle: idleCount, waiting: Math.max(0, waitingCount - idleCount) };
  }

  async query<Row>(statement: pg.QueryConfig): Promise<Row[]> {
    const client = await this.#take();
    try {
      const { rows } = await ask(this.#deps.watch, client, this.#deadline, statement);
      client.release();
      return rows;
    } catch (error) {
      if (isReadOnly(error)) this.#deps.onReadOnly();
      this.#giveBack(client, isRolledBack(error));
      throw error;
    }
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#take();
    const send = (statement: pg.QueryConfig | string) =>
      ask(this.#deps.watch, client, this.#deadline, statement);
    try {
      await send('BEGIN');
      const result = await work({
        query: async (statement, values = []) => (await send({ ...statement, values })).rows,
      });
      await send('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // If the connection may be the cause, destroy it; the server then rolls back.
      const isBack = !isOutage(error) && (await send('ROLLBACK').then(yes, no));
      this.#giveBack(client, isBack);
      throw error;
    }
  }

  /** Connections that have not answered since this call are not reused. */
  distrust(): void {
    this.#distrustedAt = performance.now();
  }

  async close(): Promise<void> {
    const ended = this.#pool.end();
    const gone = [...this.#open].map((client) => new Promise<void>((resolve) => client.once('end', resolve)));
    await untilClosed(Promise.all([ended, ...gone]));
    for (const client of this.#open) drop(client);
    await untilClosed(ended);
  }

  async #take(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await this.#connect().catch((error) => {
        throw new NeverSent(error);
      });
      if (hasReceivedSince(client, this.#distrustedAt)) return client;
      this.#giveBack(client, false);
    }
  }

  /** Rejects if no connection is available within `connectTimeout`. A stall of this process counts as one of its `connectSteps`. */
  #connect(): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let stepsLeft = connectSteps;
      const timer = setInterval(() => {
        if (--stepsLeft > 0) return;
        clearInterval(timer);
        reject(new Error('timeout exceeded when trying to connect'));
      }, connectTimeout / connectSteps);
      this.#pool.connect().then(
        (client) => {
          clearInterval(timer);
          if (stepsLeft > 0) resolve(client);
          else client.release();
        },
        (error: unknown) => {
          clearInterval(timer);
          reject(error);
        },
      );
    });
  }

  #giveBack(client: pg.PoolClient, isSound: boolean): void {
    if (!isSound) drop(client);
    client.release(!isSound);
  }
}

const yes = () => true;
const no = () => false;
