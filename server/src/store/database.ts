import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type * as schema from './schema.ts';

/**
 * Typed queries, each on a connection of its own or all inside a transaction: the same on both engines. It cannot begin a
 * transaction itself, since it does not own a connection: `Database.transaction` does.
 */
export type Orm = Omit<PgDatabase<PgQueryResultHKT, typeof schema>, 'transaction'>;

/** A statement of the hot path. Its name lets PostgreSQL parse and plan it once for each connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Lanes are separate connections, so that a stalled write cannot hold up reads, nor readers a probe, nor operators a mint. */
export type Lane = 'everyday' | 'recording' | 'probing' | 'admin';

export interface TransactionOptions {
  /** Only reads, and everything as it was at one moment. */
  snapshot?: boolean;
}

export interface PoolState {
  total: number;
  idle: number;
  waiting: number;
}

/** An engine inside this process has nobody else to look after it. */
interface OwnEngine {
  /** False once it has ended: then only a restart helps. */
  alive(): boolean;
  /** Keeps what it writes small. Everything else waits meanwhile. */
  maintain(log: Logger): Promise<void>;
  /** What is free on the disk of its folder. */
  freeBytes?(): Promise<number>;
}

export interface Database {
  readonly engine: 'embedded' | 'postgres';
  /** The embedded engine only. */
  readonly own?: OwnEngine;
  readonly orm: Orm;
  /** The same for what operators ask for, which may take its time. */
  readonly admin: Orm;
  query<Row>(lane: Lane, statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Everything inside commits together, on the lane of operators. Inside, use only the handle that `work` receives. */
  transaction<T>(work: (tx: Orm) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `onMessage` for each notification, and `onGap` when some may have been missed.
   * Resolves when the channel is open.
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<void>;
  /** Rejects while nothing can be minted: the database does not answer, or takes no writes. */
  ping(): Promise<void>;
  /** Connections in use and waiting, for metrics. The embedded engine has none. */
  pools(): Partial<Record<Lane, PoolState>>;
  close(): Promise<void>;
}

/** A start that cannot go on, in one line for the person who started it. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StartError';
    this.exitCode = options.exitCode ?? 1;
  }
}
