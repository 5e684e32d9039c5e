import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { type Database, type Lane, type Orm, type PoolState, StartError } from './database.ts';
import { sharedPing } from './ping.ts';
import * as schema from './schema.ts';

const minimumVersion = 15;
const connectTimeout = 3_000;

interface PoolSettings {
  max: number;
  statementTimeout: number;
}

const lanes: Record<Lane, PoolSettings> = {
  everyday: { max: 10, statementTimeout: 10_000 },
  // One write is under way at a time; it may have to wait for a lock, but not for ever.
  recording: { max: 1, statementTimeout: 15_000 },
  probing: { max: 1, statementTimeout: 2_000 },
};

export interface PostgresHooks {
  /** A connection that nobody was using broke; the pools replace it by themselves. */
  onIdleError(error: Error): void;
}

export async function openPostgres(url: string, hooks: PostgresHooks): Promise<Database> {
  await checkServer(url);
  const pools = {
    everyday: pool(url, lanes.everyday, hooks),
    recording: pool(url, lanes.recording, hooks),
    probing: pool(url, lanes.probing, hooks),
  };
  const orm = drizzle(pools.everyday, { schema }) as unknown as Orm;
  const listeners: Array<() => Promise<void>> = [];
  let closing: Promise<void> | undefined;
  return {
    engine: 'postgres',
    orm,
    async query<Row>(lane: Lane, statement: { name: string; text: string }, values: unknown[]) {
      return (await pools[lane].query({ ...statement, values })).rows as Row[];
    },
    transaction: (work) => orm.transaction((tx) => work(tx as unknown as Orm)),
    listen: async (channel, onMessage, onGap) => {
      const listener = new Listener(url, channel, onMessage, onGap, hooks);
      listeners.push(() => listener.stop());
      await listener.start();
    },
    // Both are needed to mint: look-ups, and the write.
    ping: sharedPing(async () => {
      await Promise.all([pools.everyday.query('SELECT 1'), pools.recording.query('SELECT 1')]);
    }),
    pools: () => ({
      everyday: stateOf(pools.everyday),
      recording: stateOf(pools.recording),
      probing: stateOf(pools.probing),
    }),
    close: () => {
      closing ??= (async () => {
        await Promise.all(listeners.map((stop) => stop()));
        await Promise.all(Object.values(pools).map((p) => p.end()));
      })();
      return closing;
    },
  };
}

/** A connection of its own for work that must stay on one connection, such as migrations under a lock. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeout });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function pool(url: string, settings: PoolSettings, hooks: PostgresHooks): pg.Pool {
  const made = new pg.Pool({
    connectionString: url,
    application_name: 'session-launch',
    max: settings.max,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: settings.statementTimeout,
    // The server ends a slow statement itself; this is for a connection on which nothing comes back any more.
    query_timeout: settings.statementTimeout + 2_000,
    keepAlive: true,
    idleTimeoutMillis: 60_000,
  });
  made.on('error', (error) => hooks.onIdleError(error));
  // A connection that is lost between two statements of a transaction: the next statement reports it, and an event that
  // nobody listens to would end the process.
  made.on('connect', (client) => client.on('error', () => undefined));
  return made;
}

function stateOf({ totalCount, idleCount, waitingCount }: pg.Pool): PoolState {
  return { total: totalCount, idle: idleCount, waiting: waitingCount };
}

async function checkServer(url: string): Promise<void> {
  let version: number;
  try {
    version = await withConnection(url, async (client) => {
      const { rows } = await client.query<{ v: string }>("SELECT current_setting('server_version_num') AS v");
      return Math.floor(Number(rows[0]?.v) / 10_000);
    });
  } catch (error) {
    throw new StartError(
      `cannot use the database of DATABASE_URL: ${reason(error)}; check the address, the credentials and that PostgreSQL runs`,
      { cause: error },
    );
  }
  if (version < minimumVersion) {
    throw new StartError(
      `DATABASE_URL leads to PostgreSQL ${version}; version ${minimumVersion} or newer is needed`,
    );
  }
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** LISTEN on a connection of its own, opened again whenever it is lost. */
class Listener {
  readonly #url: string;
  readonly #channel: string;
  readonly #onMessage: (payload: string) => void;
  readonly #onGap: () => void;
  readonly #hooks: PostgresHooks;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    url: string,
    channel: string,
    onMessage: (payload: string) => void,
    onGap: () => void,
    hooks: PostgresHooks,
  ) {
    this.#url = url;
    this.#channel = channel;
    this.#onMessage = onMessage;
    this.#onGap = onGap;
    this.#hooks = hooks;
  }

  /** Whether it listens now; otherwise it is tried again. */
  async start(): Promise<boolean> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'session-launch listener',
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
    });
    let lost = false;
    const reconnect = (error?: Error) => {
      if (lost) return;
      lost = true;
      if (error) this.#hooks.onIdleError(error);
      client.end().catch(() => undefined);
      this.#scheduleRetry();
    };
    client.on('error', reconnect);
    client.on('end', () => reconnect());
    client.on('notification', (message) => this.#onMessage(message.payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(this.#channel)}`);
      this.#client = client;
      return true;
    } catch (error) {
      reconnect(error as Error);
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#client?.end().catch(() => undefined);
  }

  #scheduleRetry(): void {
    if (this.#stopped) return;
    this.#retry = setTimeout(() => {
      // What was notified meanwhile was missed: from now on it can be trusted again.
      void this.start().then((listening) => listening && this.#onGap());
    }, 500);
    this.#retry.unref();
  }
}
