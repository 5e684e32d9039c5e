/** One limit as the caller meets it: how much it allows in which time, what is left and when it starts anew. */
export interface Budget {
  policy: 'client' | 'project' | 'day';
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** The IETF fields RateLimit-Policy and RateLimit; nothing when no limit applies. */
export function rateLimitHeaders(budgets: readonly Budget[]): Record<string, string> {
  if (budgets.length === 0) return {};
  return {
    'RateLimit-Policy': budgets.map((b) => `"${b.policy}";q=${b.limit};w=${b.windowSeconds}`).join(', '),
    RateLimit: budgets.map((b) => `"${b.policy}";r=${b.remaining};t=${b.resetSeconds}`).join(', '),
  };
}
