/** Every code the service can answer with: its HTTP status and the text a caller reads by default. */
export const errorTable = {
  INVALID_JSON: { status: 400, message: 'The request body is empty or is not valid JSON.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid; see details.' },
  LOCALE_CONFLICT: {
    status: 400,
    message: 'secondaryLocale and learningLocale disagree. Send one of them, or the same tag in both.',
  },
  SECONDARY_LOCALE_REQUIRED: {
    status: 400,
    message:
      'This dual experience needs secondaryLocale (or learningLocale): its creator left the paired language as Match.',
  },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    message: 'Idempotency-Key must be sent once, as 1 to 256 printable ASCII characters.',
  },
  API_KEY_INVALID: {
    status: 401,
    message: 'A valid API key is required: send Authorization: Bearer <API_KEY>.',
  },
  INSUFFICIENT_SCOPE: { status: 403, message: 'This API key lacks a scope that the request needs.' },
  EXPERIENCE_FORBIDDEN: {
    status: 403,
    message: 'This API key cannot access the experience: it belongs to another project.',
  },
  PROJECT_FORBIDDEN: { status: 403, message: 'This API key cannot access the project.' },
  ORIGIN_REQUIRED: {
    status: 403,
    message:
      'This route is for browsers and needs an Origin header. From a server, use POST /v1/sessions with an API key.',
  },
  ORIGIN_NOT_ALLOWED: { status: 403, message: 'The Origin of this page is not on the allowlist.' },
  BROWSER_EMBEDS_DISABLED: { status: 403, message: 'Browser embeds are switched off for this project.' },
  NOT_FOUND: { status: 404, message: 'There is nothing at this address.' },
  EXPERIENCE_NOT_FOUND: { status: 404, message: 'No such experience.' },
  EXPERIENCE_NOT_PUBLISHED: { status: 404, message: 'The experience has no published revision.' },
  SESSION_NOT_FOUND: { status: 404, message: 'No such session.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This address does not take that method; see the Allow header.',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    message: 'This Idempotency-Key was already used with a different body. Use a new key for a new request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: 'A request with this Idempotency-Key is still being processed. Retry after a second.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is larger than 64 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'Send the body as Content-Type: application/json.' },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many sessions were requested in a short time. Retry after the time given in Retry-After.',
  },
  QUOTA_EXCEEDED: { status: 429, message: 'The daily session quota of this project is used up.' },
  PROJECT_FILE_INVALID: {
    status: 400,
    message: 'The project file is not valid; see details.',
  },
  ADMIN_TOKEN_INVALID: {
    status: 401,
    message: 'A valid admin token is required: send Authorization: Bearer <ADMIN_TOKEN>.',
  },
  PROJECT_NOT_FOUND: { status: 404, message: 'No such project.' },
  KEY_NOT_FOUND: { status: 404, message: 'No such API key.' },
  INTERNAL: {
    status: 500,
    message: 'Something went wrong on our side. Quote the request id when you report it.',
  },
  UNAVAILABLE: {
    status: 503,
    message: 'The service cannot answer right now. Retry after the time given in Retry-After.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

export interface ApiErrorOptions {
  /** Replaces the default public text. Never put a secret or an internal cause in it. */
  message?: string;
  /** Public, machine-readable help: violations, the origin that was sent, the scope that is missing. */
  details?: unknown;
  headers?: Record<string, string>;
  /** Whether it refuses a stranger: somebody who has named nothing that exists, and may go on like that. */
  toStranger?: boolean;
  /** Internal: logged, never sent. */
  cause?: unknown;
}

/** The one error that routes throw on purpose. It is rendered in one place, the error handler. */
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

/** What is said to strangers. */
const strangers: ReadonlySet<ErrorCode> = new Set([
  'API_KEY_INVALID',
  'EXPERIENCE_NOT_FOUND',
  'ORIGIN_REQUIRED',
  'ORIGIN_NOT_ALLOWED',
]);

/** One thing that is wrong with an input, by its place: `integration.returnUrl`, `experiences[2].slug`. */
export interface Violation {
  path: string;
  message: string;
}

/** The service cannot answer at the moment; the caller is told to come back in a second. */
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
