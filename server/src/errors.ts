import { type ErrorCode, errorTable, type Violation } from '@session-launch/contract/errors';

export interface ApiErrorOptions {
  /** Replaces the default public message. Must not contain a secret or an internal cause. */
  message?: string;
  /** Public, machine-readable details: violations, the origin that was sent, the missing scope. */
  details?: unknown;
  headers?: Record<string, string>;
  /** Whether the request named nothing that exists (unknown key, experience or origin). Such refusals are paced per client network. */
  toStranger?: boolean;
  /** The internal cause: logged, never sent. */
  cause?: unknown;
}

/** The error that routes throw deliberately. The error handler renders it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;
  readonly toStranger: boolean;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorTable[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errorTable[code].status;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.toStranger = options.toStranger ?? strangers.has(code);
  }
}

/** Refusals of unknown callers. */
const strangers: ReadonlySet<ErrorCode> = new Set([
  'API_KEY_INVALID',
  'EXPERIENCE_NOT_FOUND',
  'ORIGIN_REQUIRED',
  'ORIGIN_NOT_ALLOWED',
  'SESSION_TOKEN_INVALID',
]);

/** 503 `UNAVAILABLE` with `Retry-After: 1`. */
export function unavailable(cause?: unknown, options: ApiErrorOptions = {}): ApiError {
  return new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '1' }, cause, ...options });
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
