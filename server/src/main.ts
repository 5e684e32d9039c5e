import closeWithGrace from 'close-with-grace';
import { openTokenFile } from './admin/authenticate.ts';
import { type App, startApp } from './app.ts';
import { type Config, demoProjectFile } from './config.ts';
import { type Demo, provisionDemo } from './demo.ts';
import { createLog } from './http/log.ts';
import { openSigningKeys } from './sessions/signing-keys.ts';
import { openChanges } from './store/changes.ts';
import type { Database } from './store/database.ts';
import { openEmbedded } from './store/embedded.ts';
import { migrate } from './store/migrate.ts';
import { openPostgres } from './store/postgres.ts';
import { summary } from './summary.ts';

const shutdownTimeout = 10_000;

/** Configuration → engine → migrations → app → listen → drain on SIGTERM. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const database = await openDatabase(config, (error) =>
    log.warn({ err: error }, 'a database connection was lost'),
  );
  let app: App;
  let demo: Demo | undefined;
  try {
    await migrate(database, config.database.engine === 'postgres' ? config.database.url : undefined);
    const { keys: signingKeys, made } = await openSigningKeys(config.signingKeysFile);
    if (made && database.engine === 'postgres') {
      log.warn(
        { file: config.signingKeysFile },
        'a new signing key file was made; every process that shares this database must use a copy of it (SIGNING_KEYS_FILE)',
      );
    }
    const changes = await openChanges(database);
    if (config.demo) {
      demo = await provisionDemo({ database, changes, apiKeyPrefix: config.apiKeyPrefix }, demoProjectFile);
    }
    const adminToken = await resolveAdminToken(config);
    app = await startApp({
      config,
      database,
      changes,
      signingKeys,
      log,
      ...(adminToken === undefined ? {} : { adminToken }),
    });
    if (adminToken === undefined) {
      log.warn('the admin API is off: set ADMIN_TOKEN to switch it on for a PostgreSQL deployment');
    }
  } catch (error) {
    await database.close();
    throw error;
  }
  process.stdout.write(summary({ app, config, demo, colours: process.stdout.isTTY === true }));
  await untilStopped(log, app, database);
}

function openDatabase(config: Config, onIdleError: (error: Error) => void): Promise<Database> {
  return config.database.engine === 'embedded'
    ? openEmbedded(config.database.dataDir)
    : openPostgres(config.database.url, { onIdleError });
}

async function resolveAdminToken(config: Config): Promise<string | undefined> {
  if (config.admin.token !== undefined) return config.admin.token;
  return config.database.engine === 'embedded' ? openTokenFile(config.admin.tokenFile) : undefined;
}

/** Stops accepting, finishes what runs, closes the engine; after ten seconds the process ends regardless. */
function untilStopped(log: ReturnType<typeof createLog>, app: App, database: Database): Promise<void> {
  return new Promise((resolve) => {
    closeWithGrace({ delay: shutdownTimeout, logger: false }, async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'stopping after an unexpected error');
      else log.info({ signal }, 'stopping');
      await app.close();
      await database.close();
      log.info('stopped');
      log.flush();
      resolve();
    });
  });
}
