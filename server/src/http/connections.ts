import type { Server } from 'node:http';
import type { Logger } from 'pino';

/**
 * Descriptors that are kept from clients: for the files or connections of the database, for art on its way out and
 * for the admin listener. Without them a crowd of connections leaves the embedded engine unable to open a file of
 * its own, which it does not recover from.
 */
const reserved = 512;
const warnEveryMs = 60_000;

/** Maximum of sockets on their way to the runtime. */
const mostUpgrades = 256;

/** Client connections that fit into the process's descriptor limit. */
export function connectionsWithin(descriptors: number): number {
  return Math.max(descriptors - reserved, Math.floor(descriptors / 4));
}

/** Sockets that may wait for the runtime: a quarter of the connections at most, so that mints always find one. */
export function upgradesWithin(connections: number): number {
  return Math.min(mostUpgrades, Math.floor(connections / 4));
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

/** What the system allows this process to have open at a time. */
export function descriptorLimit(): number {
  // Otherwise the report asks the name service about every open connection, and waits for it.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
