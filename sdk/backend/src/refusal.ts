import type { Answer } from './attempt.ts';
import { errorClass, type LaunchError } from './errors.ts';

/** The error that an answer means. */
export function refusal({ status, headers, text }: Answer, attempts: number): LaunchError {
  const error = envelope(text);
  const code = error?.code ?? `HTTP_${status}`;
  const requestId = error?.requestId ?? headers.get('X-Request-Id') ?? undefined;
  const retryAfterMs = readRetryAfter(headers.get('Retry-After'));
  return new (errorClass(status))(
    error?.message ?? `The answer had status ${status} and is not the service's.`,
    {
      code,
      status,
      ...(requestId === undefined ? {} : { requestId }),
      ...(error?.details === undefined ? {} : { details: error.details }),
      retryable: status >= 500 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      attempts,
    },
  );
}

interface Envelope {
  code: string;
  message?: string;
  details?: unknown;
  requestId?: string;
}

function envelope(text: string): Envelope | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Envelope };
    return typeof error?.code === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds, or a date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
