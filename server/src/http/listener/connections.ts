import type { Server } from 'node:http';
import type { Logger } from 'pino';

/**
 * Descriptors reserved for database files or connections, for files being sent and for the admin listener. Without them, many client
 * connections could leave the embedded engine unable to open a file, from which it does not recover.
 */
const reserved = 512;
const warnEveryMs = 60_000;

/** Maximum sockets that wait for the runtime to take them. */
const maxUpgrades = 256;

/** Client connections that fit into the process's descriptor limit. */
export function connectionsWithin(descriptors: number): number {
  return Math.max(descriptors - reserved, Math.floor(descriptors / 4));
}

/** Maximum sockets that wait for the runtime: at most a quarter of the connections, so that the others remain free for mints. */
export function upgradesWithin(connections: number): number {
  return Math.min(maxUpgrades, Math.floor(connections / 4));
}

/** Limits the open connections of a server. Further ones are closed immediately. */
export function boundConnections(server: Server, max: number, log: Logger): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = max;
  server.on('drop', () => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn({ connections: max }, 'connections are refused: the limit of open connections is reached');
  });
}

/** The descriptor limit of this process. */
export function descriptorLimit(): number {
  // Otherwise the report resolves the host name of every open connection, which blocks.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
