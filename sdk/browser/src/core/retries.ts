import type { ExperienceError } from './experience-error.ts';

/** How often each kind of refusal is met with another try. */
export interface RetryPolicy {
  /** After this error, the wait in milliseconds before the next try; nothing when there is none. */
  next(error: ExperienceError): number | undefined;
}

const shortWaitMs = 5000;
const most: Record<string, number> = { lost: 2, pending: 5, down: 2, limited: 1 };

/** `isRepeatable`: whether a request that was sent twice mints once. */
export function retryPolicy(isRepeatable: boolean, random: () => number = Math.random): RetryPolicy {
  const used: Record<string, number> = {};
  return {
    next: (error) => {
      const kind = kindOf(error);
      if (kind === undefined || (!isRepeatable && kind !== 'limited')) return undefined;
      if (kind === 'limited' && (error.retryAfterMs ?? Number.POSITIVE_INFINITY) > shortWaitMs)
        return undefined;
      const count = used[kind] ?? 0;
      if (count >= most[kind]!) return undefined;
      used[kind] = count + 1;
      return error.retryAfterMs ?? 300 * 3 ** count * (0.75 + random() / 2);
    },
  };
}

function kindOf({ code, status, details }: ExperienceError): string | undefined {
  if (code === 'NETWORK' || code === 'TIMEOUT') return 'lost';
  if (code === 'IDEMPOTENCY_IN_PROGRESS') return 'pending';
  if (status === 429) return 'limited';
  // A relay that has retried already says how often it sent the request.
  if ((details as { attempts?: number } | undefined)?.attempts) return undefined;
  return status === 500 || status === 503 ? 'down' : undefined;
}
