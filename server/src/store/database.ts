import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Logger } from 'pino';
import type * as schema from './schema.ts';

/** Typed queries, on a connection of their own or inside a transaction: the same on both engines. */
export type Orm = PgDatabase<PgQueryResultHKT, typeof schema>;

/** A statement of the hot path. Its name lets PostgreSQL parse and plan it once for each connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Lanes are separate connections, so that a stalled write cannot hold up reads, nor readers a probe. */
export type Lane = 'everyday' | 'recording' | 'probing';

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
  query<Row>(lane: Lane, statement: Statement, values: unknown[]): Promise<Row[]>;
  /** Everything inside commits together. Inside, use only the handle that `work` receives. */
  transaction<T>(work: (tx: Orm) => Promise<T>): Promise<T>;
  /**
   * Calls `onMessage` for each notification, and `onGap` when some may have been missed.
   * Resolves when the channel is open.
   */
  listen(channel: string, onMessage: (payload: string) => void, onGap: () => void): Promise<void>;
  /** Rejects while the database cannot answer. */
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
