import pg from 'pg';
import { close, connectionConfig, startTimeout } from './connection.ts';
import type { Database, Lane } from './database.ts';
import { isReadOnly } from './database-errors.ts';
import { type LaneSettings, PostgresLane } from './lane.ts';
import { Listener } from './listener.ts';
import { sharedPing } from './ping.ts';
import { checkServer } from './server-check.ts';
import { ask, prepare } from './statement.ts';
import { Watch } from './watch.ts';
import { WriteHealth } from './write-health.ts';

const settings: Record<Lane, LaneSettings> = {
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
  const watch = new Watch(url, () => {
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
  const lane = (name: Lane) => new PostgresLane({ url, watch, onIdleError, onReadOnly }, settings[name]);
  const lanes: Record<Lane, PostgresLane> = {
    everyday: lane('everyday'),
    recording: lane('recording'),
    probing: lane('probing'),
    admin: lane('admin'),
  };
  const distrust = () => {
    for (const one of Object.values(lanes)) one.distrust();
  };
  const health = new WriteHealth();
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    orm: lanes.everyday.orm,
    admin: lanes.admin.orm,
    async query<Row>(name: Lane, statement: { name: string; text: string }, values: unknown[]) {
      const sent = lanes[name].query({ ...statement, values });
      const { rows } = await (name === 'recording' ? health.note(sent) : sent);
      return rows as Row[];
    },
    transaction: (work, options) => lanes.admin.transaction(work, options),
    listen: async (name, onMessage, onGap) => {
      const listener = new Listener({ url, watch, onIdleError }, { name, onMessage, onGap });
      listeners.push(listener);
      await listener.start();
    },
    // A mint needs both pools: for look-ups and for the write.
    ping: sharedPing(async () => {
      const write = async (text: string) => (await lanes.recording.query(text)).rows;
      const writable = health.check(write).catch((error) => {
        if (isReadOnly(error)) onReadOnly();
        throw error;
      });
      await Promise.all([lanes.everyday.query('SELECT 1'), writable]);
    }),
    pools: () => ({
      everyday: lanes.everyday.state,
      recording: lanes.recording.state,
      probing: lanes.probing.state,
      admin: lanes.admin.state,
    }),
    close: () => {
      closing ??= Promise.all([...listeners, ...Object.values(lanes)].map((one) => one.close())).then(() =>
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
  const watch = new Watch(url);
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
