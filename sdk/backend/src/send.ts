import { type Answer, aborted, attempt, type Call } from './attempt.ts';
import { isLaunchError, type LaunchError } from './errors.ts';
import { refusal } from './refusal.ts';
import { atLeast, type Settings, timerMs } from './settings.ts';

export interface RequestOptions {
  /** For mints: a request with the same key and body as an earlier one returns the same launch. Default: a random UUID. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Timeout of each attempt in milliseconds. */
  timeoutMs?: number;
  maxRetries?: number;
}

/** Sends a call and retries it up to `maxRetries` times. All calls must be idempotent. */
export async function send(
  settings: Settings,
  operation: string,
  call: Call,
  options: RequestOptions = {},
): Promise<Answer & { attempts: number }> {
  const timeoutMs = timerMs(1, 'timeoutMs', options.timeoutMs ?? settings.timeoutMs);
  const maxRetries = atLeast(0, 'maxRetries', options.maxRetries ?? settings.maxRetries);
  for (let number = 1; ; number++) {
    try {
      const answer = await attempt(settings, call, { timeoutMs, signal: options.signal, number });
      if (!isSuccess(answer)) throw refusal(answer, number);
      return { ...answer, attempts: number };
    } catch (error) {
      const waitMs = number > maxRetries ? undefined : delayBefore(number, error, settings);
      if (waitMs === undefined) throw error;
      const { code, status, requestId } = error as LaunchError;
      settings.log?.({ event: 'retry', operation, attempt: number, code, status, requestId, waitMs });
      await pause(waitMs, options.signal, number);
    }
  }
}

function isSuccess({ status }: Answer): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

const retriedStatuses = new Set([408, 500, 502, 503, 504]);

/**
 * Milliseconds to wait before the next attempt, or undefined if the error is not retried. 408 means that the request did not arrive
 * completely; 502 and 504 mean that a proxy got no response from the service. Other 4xx are not retried, except
 * IDEMPOTENCY_IN_PROGRESS.
 */
function delayBefore(number: number, error: unknown, settings: Settings): number | undefined {
  if (!isLaunchError(error)) return undefined;
  const { code, status, retryAfterMs = 0 } = error;
  const isRetried =
    status === undefined
      ? error.retryable
      : retriedStatuses.has(status) || code === 'IDEMPOTENCY_IN_PROGRESS';
  if (!isRetried || retryAfterMs > settings.maxRetryWaitMs) return undefined;
  // A random delay from 0.5 s to 1, 2, then 4 s, so that clients that failed together do not retry together.
  const upTo = Math.min(4_000, 500 * 2 ** number);
  const jitter = 500 + Math.random() * (upTo - 500);
  return Math.round(Math.max(retryAfterMs, Math.min(jitter, settings.maxRetryWaitMs)));
}

function pause(ms: number, signal: AbortSignal | undefined, attempts: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = () => finish(() => reject(aborted(signal, attempts)));
    const timer = setTimeout(() => finish(resolve), ms);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
  });
}
