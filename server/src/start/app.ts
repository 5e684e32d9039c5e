import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { runtimePath } from '@session-launch/contract/wire';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { metricsRoutes } from '../admin/metrics-routes.ts';
import { adminRoutes } from '../admin/routes.ts';
import { bracketed, type Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { openCatalog } from '../experiences/catalog.ts';
import { openDirectory } from '../experiences/directory.ts';
import { boundConnections, connectionsWithin, descriptorLimit } from '../http/listener/connections.ts';
import { Drain } from '../http/listener/drain.ts';
import { createServer } from '../http/listener/server.ts';
import { KeyRing } from '../keys/authenticate.ts';
import { Client } from '../limits/client-address.ts';
import { Pace } from '../limits/pace.ts';
import { openRateLimits } from '../limits/rate.ts';
import { droppedLines } from '../observe/log.ts';
import { createMetrics } from '../observe/metrics.ts';
import type { RuntimeStatus } from '../observe/runtime-metrics.ts';
import { Traffic } from '../observe/traffic.ts';
import { ownOrigins } from '../origins/own-origins.ts';
import { demoProjectId } from '../pages/demo-cards.ts';
import { Recorder } from '../recording/recorder.ts';
import { runtimeRoutes } from '../runtimes/routes.ts';
import { LaunchRecorder } from '../sessions/launch-recorder.ts';
import { activeSessions } from '../sessions/lifecycle.ts';
import type { Changes } from '../store/changes.ts';
import { type Database, StartError } from '../store/database.ts';
import { TokenSigner } from '../tokens/signer.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { TokenVerifier } from '../tokens/verify-token.ts';
import { startHousekeeping } from './housekeeping.ts';
import { mountPublicRoutes } from './public-routes.ts';

export interface AppDeps {
  config: Config;
  database: Database;
  changes: Changes;
  signingKeys: SigningKeys;
  log: Logger;
  /** Absent: the admin API stays off. */
  adminToken?: string | undefined;
  /** Absent: the API for runtimes stays off. Without either token there is no admin listener. */
  runtimeToken?: string | undefined;
}

export interface App {
  publicUrl: string;
  /** URL of the public listener on this machine. */
  url: string;
  /** URL of the admin listener. */
  adminUrl?: string;
  /** Maximum connections of the public listener. */
  maxConnections: number;
  /** From this call on, upgrades are sent to this runtime, and its metrics and state are reported. */
  useRuntime(runtime: AttachedRuntime): void;
  /** Reports not ready but keeps serving. Resolves when requests have stopped, or after the configured grace period. */
  drain(): Promise<void>;
  /** Stops accepting connections, finishes running requests and writes buffered data. The database stays open. */
  close(): Promise<void>;
}

/** The included runtime, in its own process. */
interface AttachedRuntime {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  metrics(): Promise<string>;
  status(): RuntimeStatus;
}

/** The admin listener, for operators, metrics collectors and runtimes. */
const adminConnections = 64;
const runtimeConnections = 192;

/** Builds the parts, mounts them on the public and the admin listener, and starts both. */
export async function startApp(deps: AppDeps): Promise<App> {
  const { config, database, changes, signingKeys, log } = deps;
  const pace = new Pace();
  const directory = openDirectory(database, changes, pace);
  const catalog = openCatalog(database, changes);
  const keyRing = new KeyRing(database, changes);
  const rates = openRateLimits(database);
  const metrics = createMetrics();
  const recorder = new Recorder(database, { onBatch: metrics.batchWritten });
  const signer = new TokenSigner(signingKeys, (reason) =>
    log.warn(
      { reason },
      'the signing thread has ended; until a restart tokens are signed on the event loop, which is slower',
    ),
  );
  const traffic = new Traffic();
  const publicServer = createServer(log, traffic, ({ raw }) =>
    pace.delay(new Client(raw, config.trustProxy).network()),
  );
  const maxConnections = connectionsWithin(descriptorLimit());
  boundConnections(publicServer.server, maxConnections, log);
  const drain = new Drain(publicServer.server, config.trustProxy);
  // Without PUBLIC_URL it is the listener's address, which is set below, before the first request.
  let publicUrl = config.publicUrl ?? '';
  const doorDeps = {
    keyRing,
    directory,
    rates,
    launchRecorder: new LaunchRecorder({ recorder, directory, signer }),
    signer,
    issuer: () => publicUrl || addressOf(publicServer, config.host),
    minted: metrics.minted,
    tokenTtlSeconds: config.tokenTtlSeconds,
    runtimeUrl: () => config.runtimeUrl ?? `${doorDeps.issuer().replace(/^http/, 'ws')}${runtimePath}`,
    trustProxy: config.trustProxy,
    // The service's own landing page may launch the demo that it shows.
    isOwnPage: (projectId: string, origin: string) =>
      config.demo && projectId === demoProjectId && ownOrigins(doorDeps.issuer()).includes(origin),
  };
  let attached: AttachedRuntime | undefined;
  const runtimeStatus = () => attached?.status() ?? noRuntime(config);
  const lifecycle = { database, log, counts: metrics.lifecycle };
  const tokens = new TokenVerifier(signingKeys);
  const admissions = await mountPublicRoutes(publicServer, {
    doors: doorDeps,
    lifecycle,
    tokens,
    database,
    keyRing,
    catalog,
    assetsDir: config.assetsDir,
    directory,
    trustProxy: config.trustProxy,
    // Only the demo's catalog is public, and only while the demo is enabled.
    demoProjectId: config.demo ? demoProjectId : undefined,
    baseUrl: doorDeps.issuer,
    runtimeUrl: () => (config.runtime?.isIncluded || config.runtimeUrl ? doorDeps.runtimeUrl() : undefined),
    isDraining: () => drain.begun,
    runtimeState: () => runtimeStatus().state,
  });
  metrics.watch({
    database,
    queueLength: () => recorder.queueLength,
    caches: { keys: keyRing.remembered.counts, ...directory.counts, catalogs: catalog.counts },
    traffic,
    openConnections: promisify(publicServer.server.getConnections.bind(publicServer.server)),
    admissions,
    activeSessions: () => activeSessions(database).catch(() => undefined),
    refusalsDelayed: () => pace.delayed,
    logLinesDropped: () => droppedLines(log),
    runtime: runtimeStatus,
  });
  await listen(publicServer, config.host, config.port, 'PORT');
  const url = addressOf(publicServer, config.host);
  publicUrl = config.publicUrl ?? url;

  let adminServer: FastifyInstance | undefined;
  try {
    const { adminToken, runtimeToken } = deps;
    if (adminToken !== undefined || runtimeToken !== undefined) {
      adminServer = createServer(log);
      boundConnections(adminServer.server, adminConnections + runtimeConnections, log);
      const { apiKeyPrefix } = config;
      if (adminToken !== undefined) {
        await adminServer.register(adminRoutes, {
          token: adminToken,
          database,
          changes,
          keyRing,
          apiKeyPrefix,
          version,
          publicUrl,
        });
      }
      const metricsTokens = [adminToken, config.admin.metricsToken].filter((token) => token !== undefined);
      if (metricsTokens.length > 0) {
        await adminServer.register(metricsRoutes, {
          tokens: metricsTokens,
          metrics: metrics.registry,
          furtherMetrics: async () => (await attached?.metrics()) ?? '',
        });
      }
      if (runtimeToken !== undefined)
        await adminServer.register(runtimeRoutes, { token: runtimeToken, ...lifecycle, directory, tokens });
      await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_PORT');
    }
  } catch (error) {
    await publicServer.close();
    throw error;
  }

  const housekeeping = startHousekeeping({
    lifecycle,
    keyRing,
    rates,
    retentionDays: config.sessionRetentionDays,
  });
  return {
    publicUrl,
    url,
    maxConnections,
    ...(adminServer === undefined ? {} : { adminUrl: addressOf(adminServer, config.admin.host) }),
    useRuntime: (runtime) => {
      attached = runtime;
      publicServer.server.on('upgrade', runtime.upgrade);
    },
    drain: () => drain.untilIdle(config.shutdownGraceSeconds * 1000),
    close: async () => {
      drain.begin();
      await Promise.all([publicServer.close(), adminServer?.close()]);
      await recorder.drain();
      await signer.close();
      await housekeeping.stop();
    },
  };
}

/** Before a runtime is started, or without one. */
function noRuntime({ runtime }: Config): RuntimeStatus {
  return { state: runtime?.isIncluded ? 'starting' : 'off', restarts: {}, upgrades: {}, upgradesInFlight: 0 };
}

/** Checks that the addresses can be listened on, before anything else is opened or changed. */
export async function checkAddresses({ host, port, admin }: Config, withAdmin: boolean): Promise<void> {
  const addresses: [string, number, string][] = [[host, port, 'PORT']];
  if (withAdmin) addresses.push([admin.host, admin.port, 'ADMIN_PORT']);
  for (const [address, number, variable] of addresses) {
    const server = createNetServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port: number }, () => server.close(() => resolve()));
    }).catch((error) => {
      throw cannotListen(error, address, number, variable);
    });
  }
}

async function listen(server: FastifyInstance, host: string, port: number, variable: string): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw cannotListen(error, host, port, variable);
  }
}

function cannotListen(error: unknown, host: string, port: number, variable: string): unknown {
  const notHere = `${host} is not an address of this machine; correct ${variable === 'PORT' ? 'HOST' : 'ADMIN_HOST'}`;
  const what: Record<string, string> = {
    EADDRINUSE: `port ${port} on ${host} is already in use; stop the process that uses it, or set ${variable} to another port`,
    EACCES: `port ${port} on ${host} requires privileges that this user does not have; set ${variable} to a port above 1023`,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
    EAI_AGAIN: notHere,
  };
  const message = what[(error as NodeJS.ErrnoException).code ?? ''];
  return message === undefined ? error : new StartError(message, { cause: error });
}

function addressOf(server: FastifyInstance, host: string): string {
  const { port } = server.server.address() as AddressInfo;
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${bracketed(named)}:${port}`;
}
