import type { Answer } from './attempt.ts';
import * as errors from './errors.ts';

/** Converts an error response to a LaunchError. */
export function refusal(answer: Answer, attempts: number): errors.LaunchError {
  const { status, headers } = answer;
  const error = envelope(answer);
  const code = error?.code ?? `HTTP_${status}`;
  const requestId = error?.requestId ?? requestIdOf(answer);
  const retryAfterMs = readRetryAfter(headers.get('Retry-After'));
  return new (errorClass(status))(
    error?.message ?? `The answer had status ${status} and is not from the service.`,
    {
      code,
      status,
      ...(requestId === undefined ? {} : { requestId }),
      ...(error?.details === undefined ? {} : { details: error.details }),
      // 501 reports a configuration that is missing.
      retryable: (status >= 500 && status !== 501) || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      attempts,
    },
  );
}

/** The `X-Request-Id` of a response. */
export function requestIdOf({ headers, redact }: Answer): string | undefined {
  return checkedId(redact(headers.get('X-Request-Id')));
}

interface Envelope {
  code: string;
  message: string;
  details: unknown;
  requestId: string | undefined;
}

/** Parses the service's error envelope; undefined if the body is not one. Message and request id of a wrong type are ignored. */
function envelope({ text, redact }: Answer): Envelope | undefined {
  try {
    const { error } = redact(JSON.parse(text)) as { error?: Record<string, unknown> };
    if (typeof error?.code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(error.code)) return undefined;
    const { code, message, details, requestId } = error;
    return {
      code,
      message: typeof message === 'string' ? message : `The service refused the request: ${code}.`,
      details,
      requestId: checkedId(requestId),
    };
  } catch {
    return undefined;
  }
}

/** Returns undefined unless the value is a valid id: relays send it in a header. */
function checkedId(id: unknown): string | undefined {
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** The error class for an HTTP status. Each code of the contract has exactly one status. */
export function errorClass(status: number): typeof errors.LaunchError {
  if (status === 400 || status === 413 || status === 415) return errors.InvalidRequestError;
  if (status === 401) return errors.AuthenticationError;
  if (status === 403) return errors.PermissionError;
  if (status === 404) return errors.NotFoundError;
  if (status === 409) return errors.IdempotencyError;
  if (status === 429) return errors.RateLimitError;
  return status >= 500 ? errors.ServiceError : errors.LaunchError;
}
