import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { runtimePath } from '@session-launch/contract/wire';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { AdminAdmission } from '../admin/admission.ts';
import { metricsRoutes } from '../admin/metrics-routes.ts';
import { adminRoutes } from '../admin/routes.ts';
import { runtimeRoutes } from '../admin/runtime-routes.ts';
import { openGallery } from '../art/gallery.ts';
import { Resizer } from '../art/resizer.ts';
import { openCommits } from '../audit/commit.ts';
import { openCatalog } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { openDirectory } from '../content/directory.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { livekitUse } from '../doctor/livekit.ts';
import { DocumentThread } from '../documents/document-thread.ts';
import { EventHub } from '../events/hub.ts';
import { admitAtMost } from '../http/guards/admission.ts';
import { boundConnections, connectionsWithin, descriptorLimit } from '../http/listener/connections.ts';
import { Drain } from '../http/listener/drain.ts';
import { createServer } from '../http/listener/server.ts';
import { KeyRing } from '../keys/authenticate.ts';
import { Client } from '../limits/client-address.ts';
import { Pace } from '../limits/pace.ts';
import { openRateLimits } from '../limits/rate.ts';
import { openLivekit } from '../livekit/open.ts';
import { availabilityAt } from '../minting/availability.ts';
import { LaunchRecorder } from '../minting/launch-recorder.ts';
import { droppedLines } from '../observe/log.ts';
import { createMetrics } from '../observe/metrics.ts';
import type { RuntimeStatus } from '../observe/runtime-metrics.ts';
import { Traffic } from '../observe/traffic.ts';
import { Authenticator } from '../operators/authenticate.ts';
import { ConsoleSite } from '../operators/console-site.ts';
import { FailedLogins } from '../operators/failed-logins.ts';
import { IdentityProvider } from '../operators/oidc.ts';
import { consoleOrigins, ownOrigins } from '../origins/own-origins.ts';
import { Outbound } from '../outbound/outbound.ts';
import { PreviewCodes } from '../previews/preview-codes.ts';
import { MintRecorder } from '../recording/mint-recorder.ts';
import { activeSessions, type ChangeDeps } from '../sessions/lifecycle.ts';
import { SessionChanges } from '../sessions/session-changes.ts';
import { Tallies } from '../statistics/tallies.ts';
import type { Changes } from '../store/changes.ts';
import { type Database, databaseStatus } from '../store/database.ts';
import { TokenSigner } from '../tokens/signer.ts';
import type { SigningKeys } from '../tokens/signing-keys.ts';
import { TokenVerifier } from '../tokens/verify-token.ts';
import { resealSecrets, unsignedProjects } from '../tools/secrets.ts';
import { ToolCalls } from '../tools/tool-calls.ts';
import { TransportAccess } from '../transports/transport-access.ts';
import { assetRoutes, maxOpenFiles } from '../web/asset-routes.ts';
import { consoleRoutes } from '../web/console-routes.ts';
import { demoProjectId } from '../web/pages/demo-cards.ts';
import { Dispatcher } from '../webhooks/dispatcher.ts';
import { readQueueState } from '../webhooks/queue.ts';
import { startHousekeeping } from './housekeeping.ts';
import { addressOf, listen, portOf } from './listening.ts';
import { mountPublicRoutes } from './public-routes.ts';

export interface AppDeps {
  config: Config;
  database: Database;
  changes: Changes;
  signingKeys: SigningKeys;
  log: Logger;
  /** Counts the mints of this process. Tests pass their own, to flush it. */
  tallies?: Tallies;
  /** Starts the periodic background work. Tests that do this work themselves pass a function that starts nothing. */
  startHousekeeping?: typeof startHousekeeping;
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
  /** The address below which browsers find the console. Absent: the admin API is off. */
  consoleBase?: string;
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

/** Connections of the admin listener for operators and metrics collectors, and for runtimes. The sum of all is its limit. */
const adminConnections = 64;
const runtimeConnections = 192;
/** Further connections of runtimes for calls of tools, which stay open until the tool answers. */
const toolConnections = 224;

/** Builds the parts, mounts them on the public and the admin listener, and starts both. */
export async function startApp(deps: AppDeps): Promise<App> {
  const { config, database, changes, signingKeys, log, tallies = new Tallies(database) } = deps;
  const pace = new Pace();
  const directory = openDirectory(database, changes, pace);
  const catalog = openCatalog(database, changes);
  const art = {
    assetsDir: config.assetsDir,
    gallery: openGallery(database, changes),
    resizer: new Resizer(),
    trustProxy: config.trustProxy,
  };
  const keyRing = new KeyRing(database, changes);
  const rates = openRateLimits(database);
  const metrics = createMetrics();
  const recorder = new MintRecorder(database, { onBatch: metrics.batchWritten });
  const signer = new TokenSigner(signingKeys, (reason) =>
    log.warn(
      { reason },
      'the signing thread has ended; until a restart tokens are signed on the event loop, which is slower',
    ),
  );
  const documents = new DocumentThread();
  const adminAdmission = new AdminAdmission();
  const events = new EventHub({ database, changes });
  const sessionChanges = new SessionChanges(database, { onBatch: metrics.changesWritten });
  const lifecycle: ChangeDeps = { database, log, counts: metrics.lifecycle, changes: sessionChanges };
  const livekit = config.livekit && openLivekit(config.livekit, { lifecycle, directory });
  lifecycle.onStatus = (...status) => {
    events.onStatus(...status);
    livekit?.sessions.onStatus(status[0], status[1]);
  };
  const transports = new TransportAccess({ livekit });
  const launchRecorder = new LaunchRecorder({
    recorder,
    directory,
    signer,
    transports,
    onStatus: events.onStatus,
  });
  changes.onChange((change) => launchRecorder.onChange(change));
  const traffic = new Traffic();
  const publicServer = createServer(log, traffic, ({ raw }) =>
    pace.delay(new Client(raw, config.trustProxy).network()),
  );
  const maxConnections = connectionsWithin(descriptorLimit());
  boundConnections(publicServer.server, maxConnections, log);
  const drain = new Drain(publicServer.server, config.trustProxy);
  // Without PUBLIC_URL it is the listener's address, which is set below, before the first request.
  let publicUrl = config.publicUrl ?? '';
  const endpointDeps = {
    keyRing,
    directory,
    rates,
    launchRecorder,
    signer,
    issuer: () => publicUrl || addressOf(publicServer, config.host),
    minted: metrics.minted,
    tallies,
    tokenTtlSeconds: config.tokenTtlSeconds,
    transports,
    runtimeUrl: () => config.runtimeUrl ?? `${endpointDeps.issuer().replace(/^http/, 'ws')}${runtimePath}`,
    trustProxy: config.trustProxy,
    // The service's own landing page may launch the demo that it shows.
    isOwnPage: (projectId: string, origin: string) =>
      config.demo && projectId === demoProjectId && ownOrigins(endpointDeps.issuer()).includes(origin),
  };
  /** Whether the admin listener is open, too, if there is one. */
  let isListening = false;
  let adminServer: FastifyInstance | undefined;
  let attached: AttachedRuntime | undefined;
  const runtimeStatus = () => attached?.status() ?? noRuntime(config);
  const tokens = new TokenVerifier(signingKeys);
  const rules = { allowPrivate: config.webhookAllowPrivate };
  const outbound = new Outbound(rules);
  const webhooks = { outbound, rules, signingKeys, version };
  const dispatcher = new Dispatcher({ database, changes, log, sending: webhooks, counts: metrics.webhooks });
  const toolCalls = new ToolCalls({
    ...{ database, outbound, signingKeys, called: metrics.toolCalled },
    userAgent: `session-launch/${version}`,
  });
  const admissions = await mountPublicRoutes(publicServer, {
    endpoints: endpointDeps,
    previews: { ...endpointDeps, database, previewCodes: new PreviewCodes(database, changes) },
    consoleOrigins: () =>
      consoleOrigins([config.admin.url, adminServer && addressOf(adminServer, config.admin.host)]),
    lifecycle,
    livekit,
    tokens,
    database,
    keyRing,
    catalog,
    ...art,
    directory,
    // Only the demo's catalog is public, and only while the demo is enabled.
    demoProjectId: config.demo ? demoProjectId : undefined,
    baseUrl: endpointDeps.issuer,
    runtimeUrl: () =>
      config.runtime?.isIncluded || config.runtimeUrl ? endpointDeps.runtimeUrl() : undefined,
    isStarting: () => !isListening,
    isDraining: () => drain.begun,
    runtime: runtimeStatus,
  });
  metrics.watch({
    database,
    queueLength: () => recorder.queueLength,
    caches: {
      keys: keyRing.remembered.counts,
      ...directory.counts,
      catalogs: catalog.counts,
      art: art.gallery.counts,
    },
    traffic,
    openConnections: promisify(publicServer.server.getConnections.bind(publicServer.server)),
    admissions: { ...admissions, admin: adminAdmission, documents: documents.queue },
    activeSessions: () => activeSessions(database).catch(() => undefined),
    webhookQueues: () => readQueueState(database).catch(() => undefined),
    refusalsDelayed: () => pace.delayed,
    logLinesDropped: () => droppedLines(log),
    runtime: runtimeStatus,
  });
  await listen(publicServer, config.host, config.port, 'PORT');
  const url = addressOf(publicServer, config.host);
  publicUrl = config.publicUrl ?? url;

  let authenticator: Authenticator | undefined;
  const consoleBase = () => config.admin.url ?? `http://localhost:${portOf(adminServer!)}`;
  try {
    const { adminToken, runtimeToken } = deps;
    if (adminToken !== undefined || runtimeToken !== undefined) {
      adminServer = createServer(log);
      boundConnections(adminServer.server, adminConnections + runtimeConnections + toolConnections, log);
      const { apiKeyPrefix, trustProxy } = config;
      if (adminToken !== undefined) {
        authenticator = new Authenticator(database, changes, adminToken);
        const { url: adminUrl, host: adminHost } = config.admin;
        const site = new ConsoleSite({ adminUrl, adminHost, trustProxy });
        await adminServer.register(adminRoutes, {
          token: adminToken,
          database,
          changes,
          commit: openCommits(changes),
          documents,
          admission: adminAdmission,
          keyRing,
          lifecycle,
          events,
          signingKeys,
          toolCalls,
          examine: () => examineSelf(config, database),
          webhooks,
          apiKeyPrefix,
          version,
          publicUrl,
          assetsDir: config.assetsDir,
          isOwnPage: endpointDeps.isOwnPage,
          availabilityAt: (...page) => availabilityAt({ ...endpointDeps, database }, ...page),
          trustProxy,
          authenticator,
          failedLogins: new FailedLogins(database),
          site,
          identityProvider: config.oidc && new IdentityProvider(config.oidc),
          consoleBase,
        });
        await adminServer.register(consoleRoutes, { publicUrl, site });
        // The console shows pictures from its own origin.
        await adminServer.register(async (scope) => {
          admitAtMost(scope, maxOpenFiles);
          await scope.register(assetRoutes, { ...art, isSameOriginOnly: true });
        });
      }
      const { metricsToken } = config.admin;
      if (authenticator !== undefined || metricsToken !== undefined) {
        await adminServer.register(metricsRoutes, {
          token: metricsToken,
          operators: authenticator && { authenticator, trustProxy },
          metrics: metrics.registry,
          furtherMetrics: async () => (await attached?.metrics()) ?? '',
        });
      }
      if (runtimeToken !== undefined)
        await adminServer.register(runtimeRoutes, {
          ...{ token: runtimeToken, ...lifecycle, directory, tokens, toolCalls },
        });
      await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_PORT');
    }
  } catch (error) {
    await publicServer.close();
    throw error;
  }

  isListening = true;
  dispatcher.start();
  resealSecrets(database, signingKeys).catch((error: Error) =>
    log.warn({ reason: error.message }, 'tool secrets could not be sealed with the current signing key'),
  );
  const housekeeping = (deps.startHousekeeping ?? startHousekeeping)({
    lifecycle,
    changes,
    keyRing,
    rates,
    tallies,
    authenticator,
    livekit: livekit?.sessions,
    dispatcher,
    retentionDays: config.sessionRetentionDays,
    auditRetentionDays: config.auditRetentionDays,
  });
  return {
    publicUrl,
    url,
    maxConnections,
    ...(adminServer === undefined ? {} : { adminUrl: addressOf(adminServer, config.admin.host) }),
    ...(authenticator === undefined ? {} : { consoleBase: consoleBase() }),
    useRuntime: (runtime) => {
      attached = runtime;
      publicServer.server.on('upgrade', runtime.upgrade);
    },
    drain: () => {
      events.close();
      // Other processes take over while this one still accepts requests.
      void dispatcher.stop();
      return drain.untilIdle(config.shutdownGraceSeconds * 1000);
    },
    close: async () => {
      drain.begin();
      events.close();
      await Promise.all([publicServer.close(), adminServer?.close()]);
      await Promise.all([recorder.drain(), sessionChanges.drain(), dispatcher.stop()]);
      await signer.close();
      await documents.close();
      await housekeeping.stop();
      await livekit?.close();
      await outbound.close();
    },
  };
}

/** Runs the checks of the doctor in this process. */
async function examineSelf(config: Config, database: Database): Promise<Finding[]> {
  const status = { engine: database.engine, database: await databaseStatus(database) };
  const [livekit, unsignedTools] = await Promise.all([livekitUse(database), unsignedProjects(database)]);
  return examine({
    ...{ config, env: process.env, cwd: process.cwd() },
    service: { status, livekit, unsignedTools },
  });
}

/** Before a runtime is started, or without one. */
function noRuntime({ runtime }: Config): RuntimeStatus {
  return { state: runtime?.isIncluded ? 'starting' : 'off', restarts: {}, upgrades: {}, upgradesInFlight: 0 };
}
