import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { clonedDatabase } from './cloned-database.ts';
import type { Answer } from './http.ts';
import { onDatabase } from './postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from './process.ts';
import type { Target } from './target.ts';

export type Cleanup = (undo: () => Promise<void>) => void;

type Env = Record<string, string>;

/** Processes of one deployment, which share a database and signing keys. */
export interface Fleet {
  start(env?: Env): Promise<ServiceProcess>;
  databaseUrl: string;
}

/** Starts processes in a temporary folder. Cleanup stops the processes, including those still starting, and removes the folder. */
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

/** Creates a fleet on a new database, or on the given one. */
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
 * Polls `look` until it returns a truthy value. The interval grows, since polling takes CPU time from the polled process. The timeout is
 * meant to detect hangs, not slowness.
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

/** Sends a request until the status is not 503, which a busy machine can cause. The request must be repeatable. */
export function untilAvailable(ask: () => Promise<Answer>): Promise<Answer> {
  return until('a response other than 503', async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  });
}

/** Waits until `/readyz` returns 200: on a busy machine, one of its checks can time out although nothing is wrong. */
export async function untilReady(
  service: Pick<Target, 'call'>,
  headers: Record<string, string> = {},
): Promise<void> {
  await until('readiness', async () => (await service.call({ path: '/readyz', headers })).status === 200);
}

/** Runs one query on a new connection and returns its rows. */
export async function rows<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return onDatabase(url, async (client) => (await client.query<Row>(text, values)).rows);
}
