import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetAt } from '@session-launch/testing/deployment.ts';
import { adminToken, runtimeToken, type Target } from '@session-launch/testing/target.ts';
import pino from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type App, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openChanges } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { openSigningKeys } from '../../src/tokens/signing-keys.ts';
import { freshDatabase, type TestDatabase } from './database.ts';

export interface Service extends Target {
  /** To look at, and to arrange what no door can: never to replace a call. */
  database: Database;
  /** PostgreSQL only. */
  databaseUrl?: string;
  close(): Promise<void>;
}

/**
 * A running service of this run's engine, on free ports, with a database and signing keys of its own; `beside`
 * another one it shares that one's database, and leaves it open. An empty ADMIN_TOKEN keeps the admin API off.
 */
export async function startService(env: Record<string, string> = {}, beside?: Service): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-test-'));
  const { database, url: databaseUrl, drop } = beside ? shared(beside) : await freshDatabase();
  const config = readConfig(
    { PORT: '0', ADMIN_PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'silent', ...env },
    folder,
  );
  const { keys: signingKeys } = await openSigningKeys(config.signingKeysFile);
  const app: App = await startApp({
    config,
    database,
    changes: await openChanges(database),
    signingKeys,
    log: pino({ level: 'silent' }),
    adminToken: env.ADMIN_TOKEN === '' ? undefined : adminToken,
    runtimeToken,
  });
  return {
    ...targetAt({ url: app.publicUrl, adminUrl: app.adminUrl ?? '', adminToken, runtimeToken }),
    database,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    close: async () => {
      await app.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function shared({ database, databaseUrl }: Service): TestDatabase {
  return {
    database,
    ...(databaseUrl === undefined ? {} : { url: databaseUrl }),
    drop: async () => undefined,
  };
}

/** One service for a test file; the returned object is filled before the first test. */
export function useService(env: Record<string, string> = {}): Service {
  const service = {} as Service;
  beforeAll(async () => {
    Object.assign(service, await startService(env));
  });
  afterAll(() => service.close?.());
  return service;
}
