/**
 * Response headers of the contract. `x-component` is the header's name among the shared components of the document; `x-required` marks
 * headers that are always present, which contract tests check.
 */
export interface AnswerHeader {
  'x-component': string;
  'x-required'?: true;
  type: 'string' | 'integer';
  description: string;
  example: string | number;
  [keyword: string]: unknown;
}

export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

/** A header that may be absent. */
function optional(
  component: string,
  description: string,
  example: string | number,
  keywords: object = {},
): AnswerHeader {
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { 'x-component': component, type, ...keywords, description, example };
}

/** A header that is always present. */
function always(...header: Parameters<typeof optional>): AnswerHeader {
  return { ...optional(...header), 'x-required': true };
}

/** A header that always has this value. */
function fixed(component: string, value: string, description: string): AnswerHeader {
  return always(component, description, value, { enum: [value] });
}

export const requestId: AnswerHeaders = {
  'X-Request-Id': always(
    'RequestId',
    'Identifies this request in the service logs. Include it when you report a problem.',
    'req_01kb2x7m9defgt4zq8s6w3n5vh',
  ),
};

export const notStored: AnswerHeaders = {
  'Cache-Control': fixed('NotStored', 'no-store, private', 'The response must not be cached.'),
};

export const storedBriefly: AnswerHeaders = {
  'Cache-Control': fixed('StoredBriefly', 'private, max-age=5', 'May be cached privately for five seconds.'),
};

export const neverStored: AnswerHeaders = {
  'Cache-Control': fixed(
    'NeverStored',
    'no-store',
    'The response describes the current state and must not be cached.',
  ),
};

/** Headers of every catalog response, errors included. */
export const revalidated: AnswerHeaders = {
  'Cache-Control': fixed(
    'Revalidated',
    'private, no-cache',
    'May be cached privately; revalidate with If-None-Match before each use.',
  ),
  Vary: fixed(
    'VaryAuthorization',
    'Authorization',
    'The response depends on the API key: caches must not share it between keys.',
  ),
};

export const etag: AnswerHeaders = {
  ETag: always(
    'ETag',
    'Identifies this content. Send it in If-None-Match to get a 304 while the content is unchanged.',
    '"b3nq1Zt0Qw8mYc2kVt5xR7uLh9s"',
  ),
};

export const retryAfter: AnswerHeaders = {
  'Retry-After': always('RetryAfter', 'Whole seconds to wait before retrying.', 30, { minimum: 1 }),
};

export const retryWhenPending: AnswerHeaders = {
  'Retry-After': optional(
    'RetryWhenPending',
    'Only with IDEMPOTENCY_IN_PROGRESS: whole seconds to wait before retrying.',
    1,
    { minimum: 1 },
  ),
};

export const rateLimits: AnswerHeaders = {
  'RateLimit-Policy': optional(
    'RateLimitPolicy',
    'The limits that apply: policy name, quota q and window w in seconds. The names are "client", "project" and "day". Absent if the project has no limits.',
    '"client";q=30;w=60, "project";q=600;w=60, "day";q=10000;w=86400',
  ),
  RateLimit: optional(
    'RateLimit',
    'Remaining quota r of each policy, and seconds t until it resets.',
    '"client";r=29;t=60, "project";r=599;t=60, "day";r=9999;t=51800',
  ),
};

export const replayed: AnswerHeaders = {
  'Idempotent-Replayed': optional(
    'IdempotentReplayed',
    'Present if the response replays an earlier launch with the same Idempotency-Key.',
    'true',
    { enum: ['true'] },
  ),
};

export const authenticate: AnswerHeaders = {
  'WWW-Authenticate': always('Authenticate', 'The scheme to authenticate with.', 'Bearer'),
};

export const crossOrigin: AnswerHeaders = {
  Vary: always('VaryOrigin', 'The response depends on the Origin of the request.', 'Origin'),
  'Access-Control-Allow-Origin': optional(
    'AllowOrigin',
    'The origin of the page, if the page may read this response.',
    'https://app.example.com',
  ),
  'Access-Control-Expose-Headers': optional(
    'ExposeHeaders',
    'The response headers that the page may read.',
    'Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id',
  ),
};

export const usageCounting: AnswerHeaders = {
  'Usage-Counting': optional(
    'UsageCounting',
    'Present while more sessions have not been counted yet than one request adds up: the numbers are lower bounds.',
    'true',
    { enum: ['true'] },
  ),
};

export const cookie: AnswerHeaders = {
  'Set-Cookie': optional(
    'ConsoleCookie',
    'Sets or deletes a cookie of the console.',
    '__Host-console=…; Path=/; HttpOnly; SameSite=Strict; Secure',
  ),
};

export const location: AnswerHeaders = {
  Location: always('Location', 'Where the browser continues.', '/console/#/prj_demo/overview'),
};

export const cacheable: AnswerHeaders = {
  'Cache-Control': always('Cacheable', 'How long the response may be cached.', 'public, max-age=300'),
};
