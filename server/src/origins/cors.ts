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

/** Additional headers of a preflight response, apart from the allowed methods. Credentials are never allowed: browser mints are authorised by their Origin alone. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Headers': 'Content-Type, Idempotency-Key',
  'Access-Control-Max-Age': preflightMaxAge,
};
