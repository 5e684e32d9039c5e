/** Error codes of sockets and PostgreSQL which mean that the database is unreachable, not that the statement is wrong. */
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
  /Connection terminated|Client has encountered a connection error|not queryable|Connection ended|PGlite is clos|timeout expired/i;

/** No connection could be acquired, so the statement was not sent. */
export class NeverSent extends Error {
  constructor(cause: unknown) {
    super('no database connection was available', { cause });
    this.name = 'NeverSent';
  }
}

/** Thrown instead of a read's result if too many reads are in flight, or if the result is too old. A later attempt may succeed. */
export class StoreUnavailable extends Error {
  /** Whether one client network has too many look-ups of unknown names in flight. */
  readonly isNetworkLimit: boolean;

  constructor(message: string, options: { isNetworkLimit?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StoreUnavailable';
    this.isNetworkLimit = options.isNetworkLimit ?? false;
  }
}

/** Whether an error or its cause means that the database is currently unavailable. */
export function isOutage(error: unknown): boolean {
  return links(error).some(
    (e) =>
      e.neverSent ||
      (e.code !== undefined && (socketCodes.has(e.code) || sqlStates.test(e.code))) ||
      driverMessages.test(e.message),
  );
}

/**
 * SQLSTATEs that a server sends while it starts, stops, recovers or has no free connection: connection failures, 53300 (too many
 * connections) and 57P01 to 57P03. 08P01 is missing on purpose: a pooler sends it for a setting that it refuses.
 */
const notYet = /^(08(000|001|003|004|006)|53300|57P0[123])$/;
const connectTimeouts = /timeout expired|timeout exceeded when trying to connect|due to connection timeout/;

/**
 * Whether the database could not be reached: nothing listens, the name is unknown, the connection was lost or timed out, or the
 * server is starting up. A later attempt may succeed. False for wrong credentials, database names or TLS settings.
 */
export function isUnreachable(error: unknown): boolean {
  return links(error).some(
    ({ code = '', syscall, message }) =>
      // ENOENT of a Unix socket, and not of a file such as a TLS certificate.
      (code === 'ENOENT' ? syscall === 'connect' : socketCodes.has(code)) ||
      notYet.test(code) ||
      driverMessages.test(message) ||
      connectTimeouts.test(message),
  );
}

/** Whether a connection could not be opened in time; the server may be down or only slow. */
export function isConnectTimeout(error: unknown): boolean {
  return links(error).some(({ message }) => connectTimeouts.test(message));
}

/** The message of an error; for an AggregateError (every address of a host name refused the connection), the message of its first error. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Whether the server rolled back the statement because of a conflict with another one; a retry may succeed immediately. */
export function isCollision(error: unknown): boolean {
  // Serialization failure, deadlock.
  return links(error).some((e) => e.code === '40001' || e.code === '40P01');
}

/** Whether the statement waited for a lock for longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return links(error).some((e) => e.code === '55P03');
}

/** Whether a statement waited for locks, or ran, for longer than `lock_timeout` or `statement_timeout`. */
export function isTimeout(error: unknown): boolean {
  return isLockTimeout(error) || links(error).some((e) => e.code === '57014');
}

/** Whether a statement that failed with this error never reached the database, or must not be sent again. */
export function isNeverSent(error: unknown): boolean {
  // 57P03: a server that is starting up rejects the connection before it accepts a statement.
  return links(error).some((e) => e.neverSent || e.code === '57P03');
}

/** Whether the database accepts no writes: it is read-only, its disk is full, or its resources are exhausted. */
export function isRefusedWrite(error: unknown): boolean {
  return !isNeverSent(error) && links(error).some((e) => /^(25006|53...|58...)$/.test(e.code ?? ''));
}

/** Whether the database is read-only, such as a standby or a demoted primary. */
export function isReadOnly(error: unknown): boolean {
  return links(error).some((e) => e.code === '25006');
}

/**
 * Whether the server reported that the statement failed, so that nothing was committed. After a lost connection or a terminated backend
 * the outcome is unknown.
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
  neverSent: boolean;
  code?: string;
  severity?: string;
  /** Present on errors of the operating system. */
  syscall?: string;
}

function links(error: unknown): Link[] {
  const found: Link[] = [];
  const pending = [error];
  while (pending.length > 0 && found.length < 10) {
    const next = pending.shift();
    if (!(next instanceof Error)) continue;
    const { code, severity, syscall } = next as { code?: unknown; severity?: unknown; syscall?: unknown };
    found.push({
      message: next.message,
      neverSent: next instanceof NeverSent,
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof severity === 'string' ? { severity } : {}),
      ...(typeof syscall === 'string' ? { syscall } : {}),
    });
    pending.push(next.cause, ...(next instanceof AggregateError ? next.errors : []));
  }
  return found;
}
