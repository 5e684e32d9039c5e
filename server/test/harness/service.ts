import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetAt } from '@session-launch/testing/deployment.ts';
import { adminToken, runtimeToken, type Target } from '@session-launch/testing/target.ts';
import pino, { type Logger } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type App, type AppDeps, startApp } from '../../src/start/app.ts';
import { Tallies } from '../../src/statistics/tallies.ts';
import { openChanges } from '../../src/store/changes.ts';
import type { Database } from '../../src/store/database.ts';
import { openSigningKeys } from '../../src/tokens/signing-keys.ts';
import { freshDatabase, type TestDatabase } from './database.ts';

export interface Service extends Target {
  /** For assertions and for setup that the API does not allow. Tests must not use it instead of an API call. */
  database: Database;
  /** The counts of mints that have not been written yet. Housekeeping writes them every ten seconds. */
  tallies: Tallies;
  /** PostgreSQL only. */
  databaseUrl?: string;
  close(): Promise<void>;
}

/** Parts of the service that a test replaces. */
type Parts = Pick<AppDeps, 'startHousekeeping'>;

/** For tests that do the periodic work themselves, step by step. */
export const noHousekeeping: Parts = { startHousekeeping: () => ({ stop: async () => undefined }) };

/**
 * Starts a service of the engine under test on free ports, with its own database and signing keys. With `beside` it shares the database
 * of that service and does not close it. An empty ADMIN_TOKEN disables the admin API.
 */
export async function startService(
  env: Record<string, string> = {},
  beside?: Pick<Service, 'database' | 'databaseUrl'>,
  log: Logger = pino({ level: 'silent' }),
  parts: Parts = {},
): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-test-'));
  const { database, url: databaseUrl, drop } = beside ? shared(beside) : await freshDatabase();
  const config = readConfig(
    {
      PORT: '0',
      ADMIN_PORT: '0',
      DATA_DIR: folder,
      LOG_LEVEL: 'silent',
      WEBHOOK_ALLOW_PRIVATE: 'on',
      ...env,
    },
    folder,
  );
  const { keys: signingKeys } = await openSigningKeys(config.signingKeysFile);
  const tallies = new Tallies(database);
  const app: App = await startApp({
    config,
    tallies,
    database,
    changes: await openChanges(database),
    signingKeys,
    log,
    ...parts,
    adminToken: env.ADMIN_TOKEN === '' ? undefined : adminToken,
    runtimeToken,
  });
  return {
    ...targetAt({ url: app.publicUrl, adminUrl: app.adminUrl ?? '', adminToken, runtimeToken }),
    database,
    tallies,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    close: async () => {
      await app.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function shared({ database, databaseUrl }: Pick<Service, 'database' | 'databaseUrl'>): TestDatabase {
  return {
    database,
    ...(databaseUrl === undefined ? {} : { url: databaseUrl }),
    drop: async () => undefined,
  };
}

/** Shares one service among the tests of a file; the returned object is filled before the first test. */
export function useService(env: Record<string, string> = {}, parts: Parts = {}): Service {
  const service = {} as Service;
  beforeAll(async () => {
    Object.assign(service, await startService(env, undefined, undefined, parts));
  });
  afterAll(() => service.close?.());
  return service;
}
