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

/** One try. Its answer is read to the end within the time. */
export async function send(deps: RequestDeps, { url, init, to }: MintRequest): Promise<Launch> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = deps.setTimeout(() => {
      reject(
        new ExperienceError('TIMEOUT', 'The launch was not answered within ten seconds.', {
          retryable: true,
        }),
      );
      controller.abort();
    }, timeoutMs);
  });
  try {
    return await Promise.race([answer(deps, url, { ...init, signal: controller.signal }, to), late]);
  } finally {
    deps.clearTimeout(timer);
  }
}

async function answer(
  deps: RequestDeps,
  url: string,
  init: RequestInit,
  to: MintRequest['to'],
): Promise<Launch> {
  let response: Response;
  let text: string;
  try {
    response = await deps.fetch(url, init);
    text = await response.text();
  } catch (cause) {
    throw new ExperienceError('NETWORK', 'The launch could not be asked for.', {
      cause,
      retryable: true,
      hint:
        to === 'public'
          ? `The public door answers only pages on the allowlist of the experience, and tells others nothing. Is ${origin()} on it?`
          : `Is ${new URL(url, globalThis.location?.href).origin} running, and may this page connect to it (connect-src)?`,
    });
  }
  const body = parsed(text);
  if (response.ok) {
    if (typeof body === 'object' && body !== null) return body as Launch;
    throw new ExperienceError('INVALID_MANIFEST', 'The answer to the mint is not JSON.', {
      status: response.status,
    });
  }
  throw refusal(response, body, to);
}

function refusal(response: Response, body: unknown, to: MintRequest['to']): ExperienceError {
  const { status, headers } = response;
  const found = (body as { error?: Record<string, unknown> } | undefined)?.error;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const code = typeof found?.code === 'string' ? (found.code as ServiceCode) : undefined;
  const requestId = found?.requestId ?? headers.get('x-request-id') ?? undefined;
  return new ExperienceError(
    code ?? (to === 'relay' ? 'RELAY_FAILED' : status === 503 ? 'UNAVAILABLE' : 'INTERNAL'),
    typeof found?.message === 'string' ? found.message : `The launch was refused with ${status}.`,
    {
      status,
      retryable: status >= 500 || status === 429 || code === 'IDEMPOTENCY_IN_PROGRESS',
      ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
      ...(requestId === undefined ? {} : { requestId: String(requestId) }),
      ...(found?.details === undefined ? {} : { details: found.details }),
      ...(status === 403 ? { hint: hintFor(code) } : {}),
    },
  );
}

function hintFor(code: ServiceCode | undefined): string {
  if (code === 'BROWSER_EMBEDS_DISABLED') return 'Set browserEmbeds: true in the project file, and apply it.';
  if (code === 'ORIGIN_NOT_ALLOWED')
    return `Add "${origin()}" to allowedOrigins in the project file, and apply it.`;
  return `The launch was refused for the page at ${origin()}.`;
}

const origin = () => globalThis.location?.origin ?? 'this origin';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Resolves after the wait, or rejects as soon as the signal is aborted. */
export function pause(deps: RequestDeps, ms: number, signal: AbortSignal): Promise<void> {
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
