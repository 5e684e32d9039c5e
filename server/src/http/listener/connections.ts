import type { Server } from 'node:http';
import type { Logger } from 'pino';

/**
 * Descriptors reserved for database files or connections, for files being sent and for the admin listener. Without them, many client
 * connections could leave the embedded engine unable to open a file, from which it does not recover.
 */
const reserved = 512;
const warnEveryMs = 60_000;

/** Maximum of sockets on their way to the runtime. */
const maxUpgrades = 256;

/** Client connections that fit into the process's descriptor limit. */
export function connectionsWithin(descriptors: number): number {
  return Math.max(descriptors - reserved, Math.floor(descriptors / 4));
}

/** Sockets that may wait for the runtime: a quarter of the connections at most, so that mints always find one. */
export function upgradesWithin(connections: number): number {
  return Math.min(maxUpgrades, Math.floor(connections / 4));
}

/** Accepts at most `most` connections. Further ones are closed at once; open ones are served. */
export function boundConnections(server: Server, most: number, log: Logger): void {
  let warned = Number.NEGATIVE_INFINITY;
  server.maxConnections = most;
  server.on('drop', () => {
    if (performance.now() - warned < warnEveryMs) return;
    warned = performance.now();
    log.warn({ connections: most }, 'connections are refused: as many are open as the process can hold');
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
