import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { clonedDatabase } from './cloned-database.ts';
import { onDatabase } from './postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from './process.ts';

export type Cleanup = (undo: () => Promise<void>) => void;

type Env = Record<string, string>;

/** Processes of one deployment: one database, one set of signing keys. */
export interface Fleet {
  start(env?: Env): Promise<ServiceProcess>;
  databaseUrl: string;
}

/** Starts processes in a folder of their own, and leaves neither behind, not even one that is still starting. */
export async function processFolder(cleanup: Cleanup) {
  const folder = await temporaryFolder();
  const started: Promise<ServiceProcess>[] = [];
  let closed = false;
  cleanup(async () => {
    closed = true;
    for (const one of await Promise.allSettled(started)) {
      if (one.status === 'fulfilled') await one.value.kill('SIGKILL');
    }
    await folder.remove();
  });
  return {
    path: folder.path,
    start: (env: Env): Promise<ServiceProcess> => {
      if (closed) return Promise.reject(new Error('the test is over'));
      const one = startProcess(env, folder.path);
      started.push(one);
      return one;
    },
  };
}

/** A fleet on a database of its own, or on one that the test brings. */
export async function postgresFleet(cleanup: Cleanup, databaseUrl?: string): Promise<Fleet> {
  const url = databaseUrl ?? (await ownDatabase(cleanup));
  const { path, start } = await processFolder(cleanup);
  const shared = { DATABASE_URL: url, SIGNING_KEYS_FILE: join(path, 'keys.json') };
  return { databaseUrl: url, start: (env = {}) => start({ ...shared, ...env }) };
}

async function ownDatabase(cleanup: Cleanup): Promise<string> {
  const { url, drop } = await clonedDatabase();
  cleanup(drop);
  return url;
}

/**
 * Asks again and again until there is something to see, and more seldom the longer that takes: asking takes time from whoever
 * is waited for. The limit is for what never comes, not for what is slow.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  ms = 180_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (let pause = 10; ; pause = Math.min(pause + 5, 50)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain: ${what}`);
    await sleep(pause);
  }
}

/** The rows of one query, on a connection of its own. */
export async function rows<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return onDatabase(url, async (client) => (await client.query<Row>(text, values)).rows);
}
