import type { ExperienceError } from './experience-error.ts';

/** Milliseconds to wait before the retry of a mint after this error, or undefined if it is not retried. */
type RetryDelay = (error: ExperienceError) => number | undefined;

const shortWaitMs = 5000;
const maxRetries: Record<string, number> = { lost: 2, pending: 5, down: 2, limited: 1, other: 0 };

/**
 * Counts the retries of one mint: each kind of failure has its own maximum. `isRepeatable`: whether the endpoint is idempotent, so that a
 * repeated request does not mint twice.
 */
export function retryDelays(isRepeatable: boolean, random: () => number = Math.random): RetryDelay {
  const used: Record<string, number> = {};
  return (error) => {
    const kind = kindOf(error);
    const count = used[kind] ?? 0;
    const mayRetry = kind === 'limited' ? error.retryAfterMs! <= shortWaitMs : isRepeatable;
    if (!mayRetry || count >= maxRetries[kind]!) return undefined;
    used[kind] = count + 1;
    return error.retryAfterMs ?? 300 * 3 ** count * (0.75 + random() / 2);
  };
}

function kindOf({ code, status, details }: ExperienceError): string {
  if (code === 'NETWORK' || code === 'TIMEOUT') return 'lost';
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'pending';
  if (status === 429) return 'limited';
  // `attempts` shows that the relay has already retried.
  const isRetried = Object(details).attempts;
  return !isRetried && (status === 500 || status === 503) ? 'down' : 'other';
}
