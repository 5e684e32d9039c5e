import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type * as schema from './schema.ts';

/**
 * Typed queries, outside or inside a transaction, the same on both engines. It cannot begin a transaction, because it does not own a
 * connection: use `Database.transaction`.
 */
export type Orm = Omit<PgDatabase<PgQueryResultHKT, typeof schema>, 'transaction'>;

/** A prepared statement. PostgreSQL parses and plans it once per connection, by its name. */
export interface Statement {
  name: string;
  text: string;
}

/** Separate connection pools, so that a stalled write does not block reads, reads do not block probes, and admin requests do not block mints. */
export type Workload = 'everyday' | 'recording' | 'probing' | 'admin';

export interface TransactionOptions {
  /** Read-only, with one snapshot for the whole transaction (repeatable read). */
  snapshot?: boolean;
}

export interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

/** Maintenance that a PostgreSQL server does itself and the embedded engine leaves to this process. */
interface OwnEngine {
  /** False once the engine has exited; only a restart of the process helps. */
  alive(): boolean;
  /** Vacuums and checkpoints. Other statements wait until it is done. */
  maintain(log: Logger): Promise<void>;
  /** Free bytes on the disk of the data folder. */
  freeBytes?(): Promise<number>;
}

export interface Database {
  readonly engine: 'embedded' | 'postgres';
  /** The embedded engine only. */
  readonly own?: OwnEngine;
  readonly orm: Orm;
  /** The same for the admin API, whose statements may take longer. */
  readonly admin: Orm;
  query<Row>(workload: Workload, statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Runs `work` in one transaction on the admin pool. Inside, use only the handle that `work` receives. */
  transaction<T>(work: (tx: Orm) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `onMessage` for each notification, and `onGap` when notifications may have been missed. Resolves when the channel is open.
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<void>;
  /** Rejects while the database does not answer or accepts no writes. */
  ping(): Promise<void>;
  /** Connections in use and requests waiting for one, for metrics. The embedded engine has none. */
  pools(): Partial<Record<Workload, PoolState>>;
  close(): Promise<void>;
}

/** A fatal error at start-up, with a one-line message for the operator. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StartError';
    this.exitCode = options.exitCode ?? 1;
  }
}
