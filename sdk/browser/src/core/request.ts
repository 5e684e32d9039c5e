import type { Launch, ServiceCode } from '../types.ts';
import { aborted, ExperienceError } from './experience-error.ts';

export interface RequestDeps {
  fetch: typeof fetch;
  setTimeout: typeof setTimeout;
  clearTimeout: typeof clearTimeout;
}

export interface MintRequest {
  url: string;
  init: RequestInit;
  to: 'browser' | 'public' | 'relay';
}

const timeoutMs = 10_000;

/** Sends the request once. The timeout includes reading the response body. */
export async function send(deps: RequestDeps, request: MintRequest): Promise<Launch> {
  const controller = new AbortController();
  const { signal } = controller;
  const late = pause(deps, timeoutMs, signal).then(() => {
    throw new ExperienceError('TIMEOUT', 'The mint timed out.', { retryable: true });
  });
  try {
    return await Promise.race([answer(deps, { ...request, init: { ...request.init, signal } }), late]);
  } finally {
    // Cancels the request or the timer, whichever is still pending.
    controller.abort();
  }
}

async function answer(deps: RequestDeps, { url, init, to }: MintRequest): Promise<Launch> {
  let response: Response;
  let text: string;
  try {
    response = await deps.fetch(url, init);
    text = await response.text();
  } catch (cause) {
    throw new ExperienceError('NETWORK', 'The mint got no response.', {
      cause,
      retryable: true,
      hint:
        to === 'public'
          ? `Is ${origin()} on the allowlist of the experience?`
          : `Is ${url} reachable, and in connect-src?`,
    });
  }
  const body = parsed(text);
  if (response.ok) return body as Launch;
  throw refusal(response, body, to);
}

function refusal(response: Response, body: unknown, to: MintRequest['to']): ExperienceError {
  const { status, headers } = response;
  const found = (body as { error?: Record<string, unknown> } | undefined)?.error;
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const code = typeof found?.code === 'string' ? (found.code as ServiceCode) : undefined;
  const requestId = (found?.requestId as string | undefined) ?? headers.get('x-request-id') ?? undefined;
  return new ExperienceError(
    code ?? (to === 'relay' ? 'RELAY_FAILED' : status === 503 ? 'UNAVAILABLE' : 'INTERNAL'),
    typeof found?.message === 'string' ? found.message : `The mint was refused with ${status}.`,
    {
      status,
      retryable: status >= 500 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS',
      retryAfterMs: seconds >= 0 ? seconds * 1000 : undefined,
      requestId,
      details: found?.details,
      hint:
        status === 403
          ? `Does the project have browserEmbeds, and ${origin()} in allowedOrigins?`
          : undefined,
    },
  );
}

const origin = () => globalThis.location?.origin ?? 'this origin';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
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
    if (signal.aborted) return reject(aborted());
    const leave = () => {
      deps.clearTimeout(timer);
      reject(aborted());
    };
    const timer = deps.setTimeout(() => {
      signal.removeEventListener('abort', leave);
      resolve();
    }, ms);
    signal.addEventListener('abort', leave, { once: true });
  });
}
