/** Codes of Node's sockets and of PostgreSQL that say: the database is away, not: the statement is wrong. */
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
// 08: connection exception; 53: insufficient resources; 57P: operator intervention; 57014: statement timeout;
// 25006: read-only transaction (a standby answers during a failover); 58: system error.
const sqlStates = /^(08...|53...|57P0.|57014|25006|58...)$/;
const driverMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|Query read timeout|Connection ended|PGlite is clos/i;

/** Whether an error, or what caused it, means that the database cannot answer at the moment. */
export function isOutage(error: unknown): boolean {
  return links(error).some(
    (e) =>
      (e.code !== undefined && (socketCodes.has(e.code) || sqlStates.test(e.code))) ||
      driverMessages.test(e.message),
  );
}

/** Whether the server rolled a statement back for the sake of another one; the same may succeed right away. */
export function isCollision(error: unknown): boolean {
  // Serialization failure, deadlock.
  return links(error).some((e) => e.code === '40001' || e.code === '40P01');
}

/** Whether a statement that failed with this error never reached the database: no connection could be had. */
export function isNeverSent(error: unknown): boolean {
  return links(error).some(
    (e) =>
      (e.code !== undefined &&
        /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT|57P03|53300)$/.test(e.code)) ||
      /timeout exceeded when trying to connect|terminated due to connection timeout/.test(e.message),
  );
}

/**
 * Whether the server said itself that the statement failed, and so that nothing of it was committed.
 * A lost connection or a backend that was told to go leaves that open.
 */
export function isRolledBack(error: unknown): boolean {
  return links(error).some(
    (e) =>
      e.code !== undefined &&
      /^[0-9A-Z]{5}$/.test(e.code) &&
      !/^(08|57P)/.test(e.code) &&
      e.severity !== undefined,
  );
}

interface Link {
  message: string;
  code?: string;
  severity?: string;
}

function links(error: unknown): Link[] {
  const found: Link[] = [];
  const pending = [error];
  while (pending.length > 0 && found.length < 10) {
    const next = pending.shift();
    if (!(next instanceof Error)) continue;
    const { code, severity } = next as { code?: unknown; severity?: unknown };
    found.push({
      message: next.message,
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof severity === 'string' ? { severity } : {}),
    });
    pending.push(next.cause, ...(next instanceof AggregateError ? next.errors : []));
  }
  return found;
}
