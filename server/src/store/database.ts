import type { Logger } from 'pino';

/** A statement with parameters `$1`, `$2` and so on. Exported where it is defined: a test checks all of them against the database. */
export interface Statement {
  /** A named statement is prepared once per connection; an unnamed one is parsed and planned on each call, for the values of that call. */
  name?: string;
  text: string;
}

/** Separate connection pools, so that a stalled write does not block reads, reads do not block probes, and admin requests do not block mints. */
export type Workload = 'everyday' | 'recording' | 'probing' | 'admin';

/** An open transaction. */
export interface Transaction {
  query<Row>(statement: Statement, values?: unknown[]): Promise<Row[]>;
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
  /** How often the thread of the engine was restarted because a statement was overdue. */
  restarts(): number;
  /** Updates the planner's statistics of the tables that need it. */
  analyze(log: Logger): Promise<void>;
  /** Analyzes, vacuums and checkpoints. Other statements wait until it is done. */
  maintain(log: Logger): Promise<void>;
  /** Free bytes on the disk of the data folder. */
  freeBytes?(): Promise<number>;
}

export interface Database {
  readonly engine: 'embedded' | 'postgres';
  /** The embedded engine only. */
  readonly own?: OwnEngine;
  query<Row>(workload: Workload, statement: Statement, values?: unknown[]): Promise<Row[]>;
  /** Runs `work` in one transaction on the admin pool. Inside, use only the handle that `work` receives. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
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

/** `ok`, or why the database does not answer or accepts no writes. */
export function databaseStatus(database: Database): Promise<string> {
  return database.ping().then(
    () => 'ok',
    (error: Error) => error.message,
  );
}
