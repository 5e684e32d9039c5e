import { parseOrigin } from './origin.ts';

const exposed = 'Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id';
const preflightMaxAge = '600';

/** CORS headers that let the page at `origin` read a response. No headers for `null` or anything that is not an origin. */
export function corsHeaders(origin: string | undefined): Record<string, string> {
  if (origin === undefined || parseOrigin(origin) === undefined) return {};
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed };
}

export const corsHeaderNames = Object.freeze([
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
]);

/** Additional headers of a preflight response. Credentials are never allowed: browser mints are authorised by their Origin alone. */
export function preflightHeaders(method: 'GET' | 'POST'): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': method,
    'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key',
    'Access-Control-Max-Age': preflightMaxAge,
  };
}
