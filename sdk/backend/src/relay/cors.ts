import { answer } from './answers.ts';
import type { Rules } from './options.ts';
import { foreign } from './same-origin.ts';

type CorsRules = Pick<Rules, 'origins' | 'credentials'>;

/** Response headers that pages of listed origins may read in addition to the CORS-safelisted ones. */
const exposedHeaders = 'Retry-After, Idempotent-Replayed, X-Request-Id, ETag';
/** Request headers that pages of listed origins may send. Pages without cookies authenticate with Authorization. */
const allowedHeaders = 'Content-Type, Idempotency-Key, Authorization';
/** Seconds for which browsers cache the preflight response. */
const preflightMaxAge = '600';

/** Responds to a CORS preflight for `method`. Throws a 403 if the origin is not listed. */
export function preflight({ origins }: CorsRules, request: Request, method: string): Response {
  const origin = request.headers.get('Origin');
  if (origin === null || !origins.has(origin)) throw foreign(origin);
  return answer(204, undefined, {
    'Access-Control-Allow-Methods': method,
    'Access-Control-Allow-Headers': allowedHeaders,
    'Access-Control-Max-Age': preflightMaxAge,
  });
}

export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('Access-Control-Request-Method');
}

/** Adds CORS headers to the response, including error responses, if the request's origin is listed. */
export function withCors(
  { origins, credentials }: CorsRules,
  request: Request,
  response: Response,
): Response {
  if (origins.size === 0) return response;
  const { headers } = response;
  headers.append('Vary', 'Origin');
  const origin = request.headers.get('Origin');
  if (origin === null || !origins.has(origin)) return response;
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', exposedHeaders);
  if (credentials) headers.set('Access-Control-Allow-Credentials', 'true');
  return response;
}
