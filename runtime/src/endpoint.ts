import { setTimeout as sleep } from 'node:timers/promises';
import { unlessAborted } from './timeout.ts';

/** An OpenAI-compatible API, local or remote. */
export interface Endpoint {
  url: string;
  apiKey?: string | undefined;
}

/** A model of such an API. */
export interface RemoteEngine {
  endpoint: Endpoint;
  model: string;
}

/** An engine failed. The message contains no user data; `said` holds the engine's own response, which may quote the user. */
export class EngineError extends Error {
  readonly status: number;
  readonly said: string | undefined;

  constructor(status: number, message: string, said?: string) {
    super(message);
    this.status = status;
    this.said = said;
  }
}

/** The reason of a failure without user data: other errors, such as those of `JSON.parse`, may quote the input. */
export function reasonOf(error: Error): string {
  return error instanceof EngineError ? error.message : error.name;
}

/** Reads and parses a JSON response. */
export async function readJson(response: Response, signal: AbortSignal): Promise<unknown> {
  const text = await unlessAborted(response.text(), signal);
  return parsed(text, response.status);
}

export function parsed(text: string, status: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EngineError(status, 'the engine did not answer with JSON');
  }
}

/** A busy engine is retried only if its `Retry-After` is at most this many milliseconds. */
const longestRetryMs = 3000;

/** Sends a POST request. Retries once if the engine is busy. */
export async function post(
  { url, apiKey }: Endpoint,
  path: string,
  body: string | FormData,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  if (typeof body === 'string') headers['Content-Type'] = 'application/json';
  const send = () =>
    fetch(`${url}${path}`, { method: 'POST', headers, body, signal }).catch((error: Error) => {
      if (signal.aborted) throw error;
      const { code } = (error.cause ?? {}) as { code?: string };
      throw new EngineError(0, `${url} cannot be reached: ${code ?? error.message}`);
    });
  let response = await send();
  const waitMs = retryAfterMs(response);
  if (waitMs !== undefined && waitMs <= longestRetryMs) {
    await response.body?.cancel();
    await sleep(waitMs, undefined, { signal });
    response = await send();
  }
  if (response.ok) return response;
  await response.body?.cancel();
  throw new EngineError(
    response.status,
    `${path} answered ${response.status}${meaning[response.status] ?? ''}`,
  );
}

const meaning: Record<number, string> = {
  401: ': the key is missing or wrong',
  403: ': the key lacks the permission',
  404: ': check the address and the model',
  429: ': too many requests',
};

function retryAfterMs(response: Response): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
