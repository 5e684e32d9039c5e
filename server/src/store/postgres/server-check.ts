import { StartError } from '@session-launch/process/start-error';
import pg from 'pg';
import { messageOf } from '../database-errors.ts';
import { close, connectionConfig, startTimeout } from './connection.ts';
import { ask } from './statement.ts';
import { StatementWatch } from './statement-watch.ts';

const minimumVersion = 15;

/** Rejects a server that the service cannot use, with a one-line message. Changes no settings of the connections it opens. */
export async function checkServer(url: string): Promise<void> {
  const { version, isShared } = await examine(url).catch((error) => {
    throw new StartError(
      `cannot use the database of DATABASE_URL: ${messageOf(error)}; check the address, the credentials and that PostgreSQL runs`,
      { cause: error },
    );
  });
  if (version < minimumVersion) {
    throw new StartError(
      `DATABASE_URL points to PostgreSQL ${version}; version ${minimumVersion} or newer is required`,
    );
  }
  if (isShared) {
    throw new StartError(
      'DATABASE_URL points to a pooler in transaction mode; set it to session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL directly',
    );
  }
}

/**
 * Two concurrent direct connections have two different backends, and each keeps its own. Behind a pooler in transaction mode, the second
 * gets the backend that the first has just used or, if the pooler rotates backends, a different one each time.
 */
async function examine(url: string): Promise<{ version: number; isShared: boolean }> {
  const watch = new StatementWatch(url);
  const [one, other] = [newClient(url), newClient(url)];
  try {
    await Promise.all([one.connect(), other.connect()]);
    const look = async (client: pg.Client) => {
      const text = `SELECT current_setting('server_version_num') AS version, pg_backend_pid() AS backend`;
      return (await ask(watch, client, startTimeout, text)).rows[0] as { version: string; backend: number };
    };
    const { version, backend } = await look(one);
    const ofOne = new Set([backend]);
    const ofOther = new Set<number>();
    // Other clients may use the pooler at the same time, so the check is repeated.
    for (let round = 0; round < 3; round++) {
      for (const client of [other, other]) ofOther.add((await look(client)).backend);
      ofOne.add((await look(one)).backend);
    }
    const isShared = ofOne.size > 1 || ofOther.size > 1 || ofOther.has(backend);
    return { version: Math.floor(Number(version) / 10_000), isShared };
  } finally {
    watch.stop();
    await Promise.all([close(one), close(other)]);
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client(connectionConfig(url, 'session-launch start', startTimeout));
  client.on('error', () => undefined);
  return client;
}
