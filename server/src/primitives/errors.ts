import { type ErrorCode, errorTable, type Violation } from '@session-launch/contract/errors';

export interface ApiErrorOptions {
  /** Replaces the default public message. Must not contain a secret or an internal cause. */
  message?: string;
  /** Public, machine-readable details: violations, the origin that was sent, the missing scope. */
  details?: unknown;
  headers?: Record<string, string>;
  /** Whether the request names an unknown key, experience or origin. Such refusals are delayed per client network. */
  fromUnknownCaller?: boolean;
  /** The internal cause: logged, never sent. */
  cause?: unknown;
}

/** The error that routes throw deliberately. The error handler renders it. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;
  readonly fromUnknownCaller: boolean;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorTable[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = errorTable[code].status;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.fromUnknownCaller = options.fromUnknownCaller ?? unknownCallerCodes.has(code);
  }
}

/** Codes of refusals that are sent to unknown callers. */
const unknownCallerCodes: ReadonlySet<ErrorCode> = new Set([
  'API_KEY_INVALID',
  'EXPERIENCE_NOT_FOUND',
  'PREVIEW_NOT_FOUND',
  'ORIGIN_REQUIRED',
  'ORIGIN_NOT_ALLOWED',
  'SESSION_TOKEN_INVALID',
]);

/** 503 `UNAVAILABLE` with `Retry-After: 1`. */
export function unavailable(cause?: unknown, options: ApiErrorOptions = {}): ApiError {
  return new ApiError('UNAVAILABLE', { headers: { 'Retry-After': '1' }, cause, ...options });
}

/** Maximum violations listed in a response; a body of 64 KiB can have ten thousand. */
export const maxViolations = 20;

export function invalidRequest(violations: Violation[]): ApiError {
  return new ApiError('INVALID_REQUEST', {
    ...summaryOf(violations),
    details: violations.slice(0, maxViolations),
  });
}

/** A single violation is described in the message itself. */
function summaryOf(violations: Violation[]): { message?: string } {
  const [first, ...others] = violations;
  if (first && others.length === 0) return { message: `The request is not valid: ${describe(first)}` };
  if (violations.length <= maxViolations) return {};
  return {
    message: `The request is not valid: it has more than ${maxViolations} violations; details lists the first ${maxViolations}.`,
  };
}

function describe(violation: Violation): string {
  return violation.path === '' ? `the body ${violation.message}.` : `${violation.path} ${violation.message}.`;
}
