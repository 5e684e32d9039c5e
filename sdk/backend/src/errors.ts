/** What is known of a failure, beside its text. */
export interface Failure {
  /** The service's `error.code`; NETWORK, TIMEOUT or ABORTED when it did not answer; HTTP_502 and the like for others' answers. */
  code: string;
  /** Absent when there was no answer. */
  status?: number;
  /** Names the request in the logs of the service. */
  requestId?: string;
  details?: unknown;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** How long the service asked to wait. */
  retryAfterMs?: number;
  /** How often the request was sent, or would have been. */
  attempts: number;
  cause?: unknown;
}

/** Found by name, so that two copies of this package know each other's errors. */
const brand = Symbol.for('@session-launch/backend.LaunchError');

/** Every failure of a call. Decide by `code`, or by the class. */
export class LaunchError extends Error {
  declare readonly code: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly details?: unknown;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs?: number;
  declare readonly attempts: number;

  static {
    LaunchError.prototype.name = 'LaunchError';
    Object.defineProperty(LaunchError.prototype, brand, { value: true });
  }

  constructor(message: string, { cause, ...facts }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, facts);
  }
}

/** 400, 413, 415: the request itself is wrong. */
export class InvalidRequestError extends LaunchError {
  static {
    InvalidRequestError.prototype.name = 'InvalidRequestError';
  }
}

/** 401: the API key is wrong, expired or revoked. */
export class AuthenticationError extends LaunchError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError';
  }
}

/** 403: the API key may not do this. */
export class PermissionError extends LaunchError {
  static {
    PermissionError.prototype.name = 'PermissionError';
  }
}

/** 404: there is no such experience or session. */
export class NotFoundError extends LaunchError {
  static {
    NotFoundError.prototype.name = 'NotFoundError';
  }
}

/** 409: the Idempotency-Key belongs to another request, or to one that is still running. */
export class IdempotencyError extends LaunchError {
  static {
    IdempotencyError.prototype.name = 'IdempotencyError';
  }
}

/** 429: too much in too short a time. */
export class RateLimitError extends LaunchError {
  static {
    RateLimitError.prototype.name = 'RateLimitError';
  }
}

/** 5xx: the service, or a proxy in front of it, could not answer. */
export class ServiceError extends LaunchError {
  static {
    ServiceError.prototype.name = 'ServiceError';
  }
}

/** The service was not reached, or the connection broke. */
export class ConnectionError extends LaunchError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }
}

/** A try took longer than `timeoutMs`. */
export class TimeoutError extends LaunchError {
  static {
    TimeoutError.prototype.name = 'TimeoutError';
  }
}

/** The caller's signal was aborted. */
export class AbortedError extends LaunchError {
  static {
    AbortedError.prototype.name = 'AbortedError';
  }
}

export function isLaunchError(value: unknown): value is LaunchError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** The class of an answer. Each code of the contract has one status, so the status decides. */
export function errorClass(status: number): typeof LaunchError {
  if (status === 400 || status === 413 || status === 415) return InvalidRequestError;
  if (status === 401) return AuthenticationError;
  if (status === 403) return PermissionError;
  if (status === 404) return NotFoundError;
  if (status === 409) return IdempotencyError;
  if (status === 429) return RateLimitError;
  return status >= 500 ? ServiceError : LaunchError;
}
