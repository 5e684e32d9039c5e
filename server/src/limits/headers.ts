/** One limit as reported to the caller: quota, window, remaining and reset. */
export interface Budget {
  policy: 'client' | 'project' | 'day' | 'preview';
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
}

/** The IETF fields RateLimit-Policy and RateLimit; no fields if no limit applies. */
export function rateLimitHeaders(budgets: readonly Budget[]): Record<string, string> {
  if (budgets.length === 0) return {};
  return {
    'RateLimit-Policy': budgets.map((b) => `"${b.policy}";q=${b.limit};w=${b.windowSeconds}`).join(', '),
    RateLimit: budgets.map((b) => `"${b.policy}";r=${b.remaining};t=${b.resetSeconds}`).join(', '),
  };
}
