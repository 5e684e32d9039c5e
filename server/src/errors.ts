import { type ErrorCode, errorTable, type Violation } from '@session-launch/contract/errors';

export interface ApiErrorOptions {
  /** Replaces the default public text. Never put a secret or an internal cause in it. */
  message?: string;
  /** Public, machine-readable help: violations, the origin that was sent, the scope that is missing. */
  details?: unknown;
  headers?: Record<string, string>;
  /** Internal: logged, never sent. */
  cause?: unknown;
}

/** The one error that routes throw on purpose. It is rendered in one place, the error handler. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorTable[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errorTable[code].status;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** The service cannot answer at the moment; the caller is told to come back in a second. */
export function unavailable(cause?: unknown): ApiError {
  return new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '1' }, cause });
}

export function invalidRequest(violations: Violation[]): ApiError {
  const [first, ...others] = violations;
  const message =
    first && others.length === 0 ? { message: `The request is not valid: ${describe(first)}` } : {};
  return new ApiError('INVALID_REQUEST', { ...message, details: violations });
}

function describe(violation: Violation): string {
  return violation.path === '' ? `the body ${violation.message}.` : `${violation.path} ${violation.message}.`;
}
