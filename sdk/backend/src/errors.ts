/** The properties of a LaunchError beside its message. */
export interface Failure {
  /**
   * `error.code` of the service's response; NETWORK, TIMEOUT or ABORTED without a response; INVALID_ANSWER, or HTTP_ and the status, for
   * responses that are not the service's.
   */
  code: string;
  /** HTTP status; absent without a response. */
  status?: number;
  /** Id of the request in the logs of the service. */
  requestId?: string;
  details?: unknown;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** The `Retry-After` of the response in milliseconds. */
  retryAfterMs?: number;
  /** Number of attempts that were started; 0 if the call failed before the first. */
  attempts: number;
  cause?: unknown;
}

/** In the global symbol registry, so that `isLaunchError` recognises errors of another copy of this package. */
const brand = Symbol.for('@session-launch/backend.LaunchError');

/** Base class of the errors that calls reject with. Distinguish them by `code` or by subclass. */
export class LaunchError extends Error {
  declare readonly code: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly details?: unknown;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs?: number;
  declare readonly attempts: number;

  static {
    Object.defineProperty(LaunchError.prototype, brand, { value: true });
  }

  constructor(message: string, { cause, ...facts }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }
}

/** 400, 413, 415: the request is not valid. */
export class InvalidRequestError extends LaunchError {}

/** 401: the API key is wrong, expired or revoked. */
export class AuthenticationError extends LaunchError {}

/** 403: the API key lacks the permission. */
export class PermissionError extends LaunchError {}

/** 404: the experience or session does not exist. */
export class NotFoundError extends LaunchError {}

/** 409: the Idempotency-Key was used with a different request, or its request is still in progress. */
export class IdempotencyError extends LaunchError {}

/** 429: a rate limit or quota was exceeded. */
export class RateLimitError extends LaunchError {}

/** 5xx: the service, or a proxy in front of it, failed. Also INVALID_ANSWER: a successful response that is not the service's. */
export class ServiceError extends LaunchError {}

/** The connection to the service failed or was lost. */
export class ConnectionError extends LaunchError {}

/** An attempt took longer than `timeoutMs`. */
export class TimeoutError extends LaunchError {}

/** The caller's signal was aborted. */
export class AbortedError extends LaunchError {}

const classes = {
  LaunchError,
  InvalidRequestError,
  AuthenticationError,
  PermissionError,
  NotFoundError,
  IdempotencyError,
  RateLimitError,
  ServiceError,
  ConnectionError,
  TimeoutError,
  AbortedError,
};
// From the keys, which minifiers keep: they may rename the classes themselves.
for (const [name, type] of Object.entries(classes)) type.prototype.name = name;

export function isLaunchError(value: unknown): value is LaunchError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}
