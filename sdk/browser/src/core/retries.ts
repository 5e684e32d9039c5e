import type { ExperienceError } from './experience-error.ts';

/** Milliseconds to wait before the retry of a mint after this error, or undefined if it is not retried. */
type RetryDelay = (error: ExperienceError) => number | undefined;

const shortWaitMs = 5000;
const maxRetries: Record<string, number> = { lost: 2, pending: 5, down: 2, limited: 1 };

/**
 * Counts the retries of one mint: each kind of failure has its own maximum. `isRepeatable`: whether the endpoint is idempotent, so that a
 * repeated request does not mint twice.
 */
export function retryDelays(isRepeatable: boolean, random: () => number = Math.random): RetryDelay {
  const used: Record<string, number> = {};
  return (error) => {
    const kind = kindOf(error);
    if (kind === undefined || (!isRepeatable && kind !== 'limited')) return undefined;
    if (kind === 'limited' && !(error.retryAfterMs! <= shortWaitMs)) return undefined;
    const count = used[kind] ?? 0;
    if (count >= maxRetries[kind]!) return undefined;
    used[kind] = count + 1;
    return error.retryAfterMs ?? 300 * 3 ** count * (0.75 + random() / 2);
  };
}

function kindOf({ code, status, details }: ExperienceError): string | undefined {
  if (code === 'NETWORK' || code === 'TIMEOUT') return 'lost';
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'pending';
  if (status === 429) return 'limited';
  // `attempts` shows that the relay has already retried.
  if ((details as { attempts?: number } | undefined)?.attempts) return undefined;
  return status === 500 || status === 503 ? 'down' : undefined;
}
