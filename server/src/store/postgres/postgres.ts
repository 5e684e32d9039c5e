import pg from 'pg';
import type { Database, Statement, Workload } from '../database.ts';
import { isReadOnly } from '../database-errors.ts';
import { sharedPing } from '../ping.ts';
import { WriteHealth } from '../write-health.ts';
import { close, connectionConfig, startTimeout } from './connection.ts';
import { Listener } from './listener.ts';
import { poolSettings } from './pool-settings.ts';
import { QueryPool } from './query-pool.ts';
import { checkServer } from './server-check.ts';
import { ask, prepare } from './statement.ts';
import { StatementWatch } from './statement-watch.ts';

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
        'a database connection stopped responding; all connections that were open with it are replaced',
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
  const pool = (name: Workload) => new QueryPool({ url, watch, onIdleError, onReadOnly }, poolSettings[name]);
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
    query: <Row>(workload: Workload, statement: Statement, values: unknown[] = []) => {
      const sent = pools[workload].query<Row>({ ...statement, values });
      return workload === 'recording' ? health.note(sent) : sent;
    },
    transaction: (work) => pools.admin.transaction(work),
    listen: async (name, onMessage, onGap) => {
      const listener = new Listener({ url, watch, onIdleError }, { name, onMessage, onGap });
      listeners.push(listener);
      await listener.start();
    },
    // A mint needs both pools: for look-ups and for the write.
    ping: sharedPing(async () => {
      const writable = health
        .check((text) => pools.recording.query({ text }))
        .catch((error) => {
          if (isReadOnly(error)) onReadOnly();
          throw error;
        });
      await Promise.all([pools.everyday.query({ text: 'SELECT 1' }), writable]);
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
