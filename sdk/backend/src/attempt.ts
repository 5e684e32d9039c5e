import { AbortedError, ConnectionError, type LaunchError, TimeoutError } from './errors.ts';
import { redacted, withoutKey } from './secrets.ts';
import type { Settings } from './settings.ts';
import { withTimeout } from './timeout.ts';

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Serialised once, so that every attempt sends the same bytes. */
  body?: string;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Replaces the API key in values that are copied from the response. */
  redact(value: unknown): unknown;
}

export interface Bounds {
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /** Number of this attempt, from 1. */
  number: number;
}

/** Sends the request once. The timeout includes reading the body. */
export async function attempt(settings: Settings, call: Call, bounds: Bounds): Promise<Answer> {
  const { timeoutMs, signal, number } = bounds;
  if (signal?.aborted) throw aborted(signal, number - 1);
  const controller = new AbortController();
  try {
    return await withTimeout(exchange(settings, call, controller.signal, number), {
      ms: timeoutMs,
      late: () => timedOut(timeoutMs, number),
      signal,
      aborted: () => aborted(signal, number),
    });
  } finally {
    controller.abort();
  }
}

async function exchange(
  settings: Settings,
  call: Call,
  signal: AbortSignal,
  number: number,
): Promise<Answer> {
  const key = await settings.readKey();
  try {
    const response = await settings.fetch(`${settings.baseUrl}${call.path}`, {
      method: call.method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${key}`,
        ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      // Following a redirect could send the mint to another host or turn it into a GET.
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    return { status, headers, text: await response.text(), redact: (value) => redacted(value, key) };
  } catch (error) {
    const cause = withoutKey(error, key);
    throw new ConnectionError(`The service could not be reached: ${reason(cause)}.`, {
      code: 'NETWORK',
      retryable: true,
      attempts: number,
      cause,
    });
  }
}

/** Returns code or message of the error's cause: the message of fetch itself is only "fetch failed". */
function reason(error: Error | undefined): string {
  const below = error?.cause instanceof Error ? error.cause : error;
  return (below as { code?: string } | undefined)?.code ?? below?.message ?? 'no connection';
}

function timedOut(timeoutMs: number, attempts: number): LaunchError {
  return new TimeoutError(`The service did not answer within ${timeoutMs} ms.`, {
    code: 'TIMEOUT',
    retryable: true,
    attempts,
  });
}

export function aborted(signal: AbortSignal | undefined, attempts: number): LaunchError {
  return new AbortedError('The call was aborted.', {
    code: 'ABORTED',
    retryable: false,
    attempts,
    cause: signal?.reason,
  });
}
