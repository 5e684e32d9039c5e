import pg from 'pg';
import type { Database, Workload } from '../database.ts';
import { isReadOnly } from '../database-errors.ts';
import { sharedPing } from '../ping.ts';
import { WriteHealth } from '../write-health.ts';
import { close, connectionConfig, startTimeout } from './connection.ts';
import { Listener } from './listener.ts';
import { QueryPool, type QueryPoolSettings } from './query-pool.ts';
import { checkServer } from './server-check.ts';
import { ask, prepare } from './statement.ts';
import { StatementWatch } from './statement-watch.ts';

const settings: Record<Workload, QueryPoolSettings> = {
  // Cached reads are useless after four seconds, so the timeout is shorter.
  everyday: { max: 10, statementTimeout: 3_000 },
  // One write is in flight at a time; it may wait for a lock, but not indefinitely.
  recording: { max: 1, statementTimeout: 15_000 },
  probing: { max: 1, statementTimeout: 2_000 },
  admin: { max: 4, statementTimeout: 10_000 },
};

/** Minimum milliseconds between two reconnects because the server is read-only. */
const readOnlyEvery = 1_000;

export interface PostgresHooks {
  /** Called when a connection breaks or stops answering; the pool replaces it. */
  onIdleError(error: Error): void;
}

export async function openPostgres(url: string, { onIdleError }: PostgresHooks): Promise<Database> {
  await checkServer(url);
  const listeners: Listener[] = [];
  const watch = new StatementWatch(url, () => {
    onIdleError(
      new Error(
        'a database connection has stopped answering; connections that were open at that time are not reused',
      ),
    );
    distrust();
    for (const listener of listeners) listener.check();
  });
  let readOnlyAt = Number.NEGATIVE_INFINITY;
  // After a failover the host name may resolve to another server.
  const onReadOnly = () => {
    if (performance.now() - readOnlyAt < readOnlyEvery) return;
    readOnlyAt = performance.now();
    distrust();
  };
  const pool = (name: Workload) => new QueryPool({ url, watch, onIdleError, onReadOnly }, settings[name]);
  const pools: Record<Workload, QueryPool> = {
    everyday: pool('everyday'),
    recording: pool('recording'),
    probing: pool('probing'),
    admin: pool('admin'),
  };
  const distrust = () => {
    for (const one of Object.values(pools)) one.distrust();
  };
  const health = new WriteHealth();
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    orm: pools.everyday.orm,
    admin: pools.admin.orm,
    async query<Row>(name: Workload, statement: { name: string; text: string }, values: unknown[]) {
      const sent = pools[name].query({ ...statement, values });
      const { rows } = await (name === 'recording' ? health.note(sent) : sent);
      return rows as Row[];
    },
    transaction: (work, options) => pools.admin.transaction(work, options),
    listen: async (name, onMessage, onGap) => {
      const listener = new Listener({ url, watch, onIdleError }, { name, onMessage, onGap });
      listeners.push(listener);
      await listener.start();
    },
    // A mint needs both pools: for look-ups and for the write.
    ping: sharedPing(async () => {
      const write = async (text: string) => (await pools.recording.query(text)).rows;
      const writable = health.check(write).catch((error) => {
        if (isReadOnly(error)) onReadOnly();
        throw error;
      });
      await Promise.all([pools.everyday.query('SELECT 1'), writable]);
    }),
    pools: () => ({
      everyday: pools.everyday.state,
      recording: pools.recording.state,
      probing: pools.probing.state,
      admin: pools.admin.state,
    }),
    close: () => {
      closing ??= Promise.all([...listeners, ...Object.values(pools)].map((one) => one.close())).then(() =>
        watch.stop(),
      );
      return closing;
    },
  };
}

/**
 * Opens a dedicated connection for work that must stay on one connection, such as migrations under a lock. A statement may take any time,
 * as long as the server works on it.
 */
export async function withConnection<T>(
  url: string,
  work: (run: (text: string, values?: unknown[]) => Promise<pg.QueryResult>) => Promise<T>,
): Promise<T> {
  const watch = new StatementWatch(url);
  const client = new pg.Client(connectionConfig(url, 'session-launch', startTimeout));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepare(watch, client, 0);
    return await work((text, values) => ask(watch, client, Number.POSITIVE_INFINITY, text, values));
  } finally {
    watch.stop();
    await close(client);
  }
}
