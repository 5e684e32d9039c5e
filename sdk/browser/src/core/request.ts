import type { ServiceCode } from '../types.ts';
import { aborted, ExperienceError } from './experience-error.ts';
import { text } from './shape.ts';

export interface RequestDeps {
  fetch: typeof fetch;
  setTimeout: typeof setTimeout;
  clearTimeout: typeof clearTimeout;
}

export interface ServiceRequest {
  url: string;
  init?: RequestInit;
  to: 'browser' | 'public' | 'relay';
}

const timeoutMs = 10_000;

/** Sends the request once and returns the parsed body of its response. The timeout includes reading the body. */
export async function send<T>(deps: RequestDeps, request: ServiceRequest): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const late = pause(deps, timeoutMs, signal).then(() => {
    throw new ExperienceError('TIMEOUT', 'The request timed out.', { retryable: true });
  });
  try {
    return await Promise.race([receive<T>(deps, { ...request, init: { ...request.init, signal } }), late]);
  } finally {
    // Cancels the request or the timer, whichever is still pending.
    controller.abort();
  }
}

async function receive<T>(deps: RequestDeps, { url, init, to }: ServiceRequest): Promise<T> {
  let response: Response;
  let body: string;
  try {
    response = await deps.fetch(url, init);
    body = await response.text();
  } catch (cause) {
    throw new ExperienceError('NETWORK', 'The request got no response.', {
      cause,
      retryable: true,
      hint:
        to === 'public'
          ? `Is ${origin()} on the allowlist of the experience?`
          : `Is ${url} reachable, and in connect-src?`,
    });
  }
  const { status, headers, ok } = response;
  const answer = parsed(body);
  if (ok) return answer as T;
  const { code, message, requestId, details } = Object(Object(answer).error) as Record<string, unknown>;
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  throw new ExperienceError(
    text(code)
      ? (code as ServiceCode)
      : to === 'relay'
        ? 'RELAY_FAILED'
        : status === 503
          ? 'UNAVAILABLE'
          : 'INTERNAL',
    text(message) ? (message as string) : `The request was refused with ${status}.`,
    {
      status,
      retryable: status >= 500 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS',
      retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
      requestId: (requestId as string | undefined) ?? headers.get('x-request-id') ?? undefined,
      details,
      hint:
        status === 403
          ? `Does the project have browserEmbeds, and ${origin()} in allowedOrigins?`
          : undefined,
    },
  );
}

const origin = () => globalThis.location?.origin ?? 'this origin';

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Resolves after `ms` milliseconds, or rejects with ABORTED when the signal is aborted. */
export function pause(
  deps: Pick<RequestDeps, 'setTimeout' | 'clearTimeout'>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      deps.clearTimeout(timer);
      reject(aborted());
    };
    const timer = deps.setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
  });
}
