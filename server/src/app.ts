import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { adminRoutes } from './admin/routes.ts';
import { bracketed, type Config } from './config.ts';
import { openCatalog } from './experiences/catalog.ts';
import { catalogRoutes } from './experiences/catalog-routes.ts';
import { openDirectory } from './experiences/directory.ts';
import { healthRoutes } from './http/health-routes.ts';
import { createServer } from './http/server.ts';
import { KeyRing } from './keys/authenticate.ts';
import { openRateLimits } from './limits/rate.ts';
import { jwksRoutes } from './sessions/jwks-routes.ts';
import { mintRoutes } from './sessions/mint-routes.ts';
import { Recorder } from './sessions/recorder.ts';
import { sessionRoutes } from './sessions/session-routes.ts';
import type { SigningKeys } from './sessions/signing-keys.ts';
import type { Changes } from './store/changes.ts';
import { type Database, StartError } from './store/database.ts';
import { startHousekeeping } from './store/housekeeping.ts';
import { version } from './version.ts';

export interface AppDeps {
  config: Config;
  database: Database;
  changes: Changes;
  signingKeys: SigningKeys;
  log: Logger;
  /** Absent: the admin listener stays off. */
  adminToken?: string;
}

export interface App {
  publicUrl: string;
  adminUrl?: string;
  /** Stops accepting, finishes what runs, writes what is kept in memory. The database stays open. */
  close(): Promise<void>;
}

/** Builds the parts, mounts them on the public and the admin listener, and starts both. */
export async function startApp(deps: AppDeps): Promise<App> {
  const { config, database, changes, signingKeys, log } = deps;
  const directory = openDirectory(database, changes);
  const catalog = openCatalog(database, changes);
  const keyRing = new KeyRing(database, changes);
  const rates = openRateLimits(database);
  const recorder = new Recorder(database);
  let draining = false;

  const publicServer = createServer(log);
  const listening = () => addressOf(publicServer, config.host);
  const mintDeps = {
    keyRing,
    directory,
    rates,
    recorder,
    signingKeys,
    get issuer() {
      return config.publicUrl ?? listening();
    },
    tokenTtlSeconds: config.tokenTtlSeconds,
    trustProxy: config.trustProxy,
  };
  await publicServer.register(healthRoutes, { database, isDraining: () => draining });
  await publicServer.register(jwksRoutes, { signingKeys });
  await publicServer.register(mintRoutes, mintDeps);
  await publicServer.register(sessionRoutes, { database, keyRing });
  await publicServer.register(catalogRoutes, { keyRing, catalog });
  await listen(publicServer, config.host, config.port, 'PORT');
  const publicUrl = config.publicUrl ?? listening();

  let adminServer: FastifyInstance | undefined;
  try {
    if (deps.adminToken !== undefined) {
      adminServer = createServer(log);
      const { apiKeyPrefix } = config;
      await adminServer.register(adminRoutes, {
        token: deps.adminToken,
        database,
        changes,
        keyRing,
        apiKeyPrefix,
        version,
        publicUrl,
      });
      await listen(adminServer, config.admin.host, config.admin.port, 'ADMIN_PORT');
    }
  } catch (error) {
    await publicServer.close();
    throw error;
  }

  const housekeeping = startHousekeeping({ database, keyRing, rates, log });
  return {
    publicUrl,
    ...(adminServer === undefined ? {} : { adminUrl: addressOf(adminServer, config.admin.host) }),
    close: async () => {
      draining = true;
      await Promise.all([publicServer.close(), adminServer?.close()]);
      await recorder.drain();
      await housekeeping.stop();
    },
  };
}

async function listen(server: FastifyInstance, host: string, port: number, variable: string): Promise<void> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    await server.close();
    const what: Record<string, string> = {
      EADDRINUSE: `port ${port} on ${host} is already in use; stop what uses it, or set ${variable} to another port`,
      EACCES: `port ${port} on ${host} needs more rights than this user has; set ${variable} to a port above 1023`,
      EADDRNOTAVAIL: `${host} is not an address of this machine; correct ${variable === 'PORT' ? 'HOST' : 'ADMIN_HOST'}`,
      ENOTFOUND: `${host} is not an address of this machine; correct ${variable === 'PORT' ? 'HOST' : 'ADMIN_HOST'}`,
    };
    const message = what[code ?? ''];
    throw message === undefined ? error : new StartError(message, { cause: error });
  }
}

function addressOf(server: FastifyInstance, host: string): string {
  const { port } = server.server.address() as AddressInfo;
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${bracketed(named)}:${port}`;
}
