import { setFlagsFromString } from 'node:v8';
import { isFullDisk, StuckEngine } from '@session-launch/engine';
import { StartError } from '@session-launch/process/start-error';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { type Config, demoProjectFile, hasAdminListener } from '../config/config.ts';
import { upgradesWithin } from '../http/listener/connections.ts';
import { createLog } from '../observe/log.ts';
import { createStartLink } from '../operators/sign-in.ts';
import { environmentOfRuntime } from '../runtimes/environment.ts';
import { type Supervisor, superviseRuntime } from '../runtimes/supervisor.ts';
import { openChanges } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { openTokenFile } from '../store/files/token-file.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { DatabaseWait, StoppedDuringStart } from '../store/postgres/database-wait.ts';
import { openSigningKeys, type SigningKeys } from '../tokens/signing-keys.ts';
import { type App, startApp } from './app.ts';
import { provisionDemo } from './demo.ts';
import { checkAddresses } from './listening.ts';
import { summary } from './summary.ts';

/** Maximum milliseconds of a stop after the drain. */
const shutdownTimeout = 10_000;
/** Milliseconds that the runtime may take for its last report after its sessions have ended. */
const runtimeStopMs = 3000;

/** How far the heap may grow past the live set before V8 collects, in percent. */
const heapGrowthPercent = 40;

/** Configuration → engine → migrations → app → listen → drain on SIGTERM. */
export async function serve(config: Config, options: { colours: boolean }): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  // Almost no request data survives a young-generation collection, so waking helper threads costs more than it saves.
  setFlagsFromString('--no-parallel-scavenge');
  const log = createLog(config.logLevel);
  await checkAddresses(config, hasAdminListener(config));
  /** Aborted when the embedded engine exits. */
  const engine = new AbortController();
  const wait = new DatabaseWait({
    engine: config.database.engine,
    seconds: config.databaseWaitSeconds,
    log,
  });
  try {
    await startAndServe({ config, log, engine, wait, colours: options.colours });
  } catch (error) {
    if (!(error instanceof StoppedDuringStart)) throw error;
    log.info('stopped before the start was complete');
  } finally {
    wait.end();
  }
}

interface StartDeps {
  config: Config;
  log: Logger;
  engine: AbortController;
  wait: DatabaseWait;
  colours: boolean;
}

async function startAndServe({ config, log, engine, wait, colours }: StartDeps): Promise<void> {
  const database = await openDatabase(config, log, engine, wait);
  let app: App | undefined;
  let runtime: Supervisor | undefined;
  try {
    const signingKeys = await readSigningKeys(config, log);
    const url = config.database.engine === 'postgres' ? config.database.url : undefined;
    await wait.step(() => migrate(database, url, { log }));
    await database.own?.analyze(log);
    const changes = await openChanges(database);
    const adminToken = await resolveAdminToken(config);
    const runtimeToken = await resolveRuntimeToken(config);
    app = await startApp({
      config,
      database,
      changes,
      signingKeys,
      log,
      adminToken,
      runtimeToken,
    });
    // Last, because the key of a start that fails later would never be shown.
    const demoDeps = { database, changes, apiKeyPrefix: config.apiKeyPrefix, log };
    const demo = config.demo ? await wait.step(() => provisionDemo(demoDeps, demoProjectFile)) : undefined;
    const { consoleBase } = app;
    const consoleLink =
      consoleBase && adminToken
        ? await wait.step(() => createStartLink(database, consoleBase, adminToken))
        : undefined;
    if (adminToken === undefined) {
      log.warn('the admin API is off: set ADMIN_TOKEN to switch it on for a PostgreSQL deployment');
    }
    if (config.admin.metricsToken !== undefined && app.adminUrl === undefined) {
      log.warn('METRICS_TOKEN has no effect: the admin listener is off; set ADMIN_TOKEN or RUNTIME_TOKEN');
    }
    if (config.runtime?.isIncluded) runtime = startRuntime(config, app, runtimeToken!, log);
    const running = { log, app, runtime, database, engine: engine.signal };
    wait.end();
    const stopped = untilStopped(running, config.shutdownGraceSeconds);
    process.stdout.write(summary({ app, config, demo, consoleLink, colours }));
    await stopped;
  } catch (error) {
    await runtime?.close();
    await app?.close();
    await database.close();
    throw config.database.engine === 'embedded' && isFullDisk(error as Error)
      ? new StartError(
          `the disk of the data folder ${config.dataDir} is full (${(error as Error).message}); free space on its disk`,
          { cause: error },
        )
      : error;
  }
}

/** Loads only the configured engine. */
async function openDatabase(
  { database, dataDir }: Config,
  log: Logger,
  engine: AbortController,
  wait: DatabaseWait,
): Promise<Database> {
  if (database.engine === 'embedded') {
    const { openEmbedded } = await import('../store/embedded.ts');
    return openEmbedded(dataDir, {
      onFirstStart: () => log.info({ dataDir }, 'creating the database; this takes some seconds, once'),
      onEnd: (reason) => {
        log.fatal(
          { reason },
          'the embedded engine has ended, and the service exits; a restart recovers the data',
        );
        engine.abort(new Error(`the embedded engine has ended: ${reason}`));
      },
      onFull: (isFull) =>
        isFull
          ? log.error(
              { dataDir },
              'the disk of DATA_DIR is full; no sessions are recorded until there is free space',
            )
          : log.warn({ dataDir }, 'the disk of DATA_DIR has free space again; sessions are recorded'),
      onOverdue: (statement) =>
        log.error(
          { statement: statement.trim().replace(/\s+/g, ' ').slice(0, 200) },
          'a statement took too long; the embedded engine is restarted',
        ),
      onRestarted: (ms) => log.warn({ ms }, 'the embedded engine is running again'),
      onBackupStalled: (seconds) =>
        log.warn({ seconds }, 'a backup was given up: its copy did not advance; run it again'),
    });
  }
  const { openPostgres } = await import('../store/postgres/postgres.ts');
  const onIdleError = (error: Error) => log.warn({ err: error }, 'a database connection was lost');
  return wait.step(() => openPostgres(database.url, { onIdleError }));
}

async function readSigningKeys(config: Config, log: Logger): Promise<SigningKeys> {
  const { keys, made } = await openSigningKeys(config.signingKeysFile);
  if (made && config.database.engine === 'postgres') {
    log.warn(
      { file: config.signingKeysFile },
      'a new signing key file was created; every process that shares this database must use a copy of it (SIGNING_KEYS_FILE)',
    );
  }
  return keys;
}

async function resolveAdminToken(config: Config): Promise<string | undefined> {
  if (config.admin.token !== undefined) return config.admin.token;
  if (config.database.engine !== 'embedded') return undefined;
  return openTokenFile({ file: config.admin.tokenFile, of: 'admin', variable: 'ADMIN_TOKEN' });
}

async function resolveRuntimeToken({ runtime }: Config): Promise<string | undefined> {
  return (
    runtime?.token ??
    (runtime && openTokenFile({ file: runtime.tokenFile, of: 'runtime', variable: 'RUNTIME_TOKEN' }))
  );
}

/** Starts the runtime in a separate process, so that speech never delays a mint. It reads its engine variables itself. */
function startRuntime(config: Config, app: App, token: string, log: Logger): Supervisor {
  const runtime = superviseRuntime({
    log,
    env: {
      ...environmentOfRuntime(process.env),
      ADMIN_URL: app.adminUrl,
      PUBLIC_URL: app.publicUrl,
      // The listener's own address: PUBLIC_URL may lead through a proxy that this machine cannot reach.
      JWKS_URL: `${app.url}/.well-known/jwks.json`,
      RUNTIME_TOKEN: token,
      DATA_DIR: config.dataDir,
      LOG_LEVEL: config.logLevel,
      SHUTDOWN_GRACE_SECONDS: String(config.shutdownGraceSeconds),
    },
    stopMs: config.shutdownGraceSeconds * 1000 + runtimeStopMs,
    maxUpgrades: upgradesWithin(app.maxConnections),
    maxSessions: config.maxSessions,
    trustProxy: config.trustProxy,
  });
  app.useRuntime(runtime);
  return runtime;
}

interface Running {
  log: Logger;
  app: App;
  runtime: Supervisor | undefined;
  database: Database;
  engine: AbortSignal;
}

/**
 * On SIGTERM, drains first so that load balancers notice. Then, and immediately on other signals, stops accepting connections, finishes
 * running requests and closes the engine. The process exits ten seconds later at the latest. It also exits if the embedded engine has
 * exited, so that its supervisor restarts it.
 */
function untilStopped({ log, app, runtime, database, engine }: Running, graceSeconds: number): Promise<void> {
  return new Promise((resolve) => {
    const options = {
      delay: graceSeconds * 1000 + shutdownTimeout,
      logger: false as const,
      onTimeout: () => log.error('some requests did not end in time and were cut off'),
    };
    let isStopping = false;
    const grace = closeWithGrace(options, async ({ signal, err }) => {
      isStopping = true;
      if (err) log.fatal({ err }, 'stopping after an unexpected error');
      else log.info({ signal }, 'stopping');
      try {
        // SIGTERM comes from a supervisor; SIGINT from a person at a terminal, who is waiting.
        await Promise.all([signal === 'SIGTERM' ? app.drain() : undefined, runtime?.close()]);
        await app.close();
        await database.close();
      } catch (error) {
        log.error({ err: error }, 'the shutdown was not clean');
        // `process.exit` would wait for a thread that is blocked in the kernel.
        if (error instanceof StuckEngine) process.kill(process.pid, 'SIGKILL');
        throw error;
      }
      log.info('stopped');
      await new Promise<void>((resolve) => log.flush(() => resolve()));
      // Exit code 1, which supervisors treat as a failure.
      engine.throwIfAborted();
      resolve();
    });
    const stop = () => {
      if (!isStopping) void grace.close();
    };
    if (engine.aborted) stop();
    else engine.addEventListener('abort', stop, { once: true });
  });
}
