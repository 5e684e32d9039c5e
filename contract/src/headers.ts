/**
 * Response headers of the contract. `x-component` is the header's name among the shared components of the document; `x-required` marks
 * headers that are always present, which contract tests check.
 */
export interface AnswerHeader {
  'x-component': string;
  'x-required'?: true;
  type: 'string' | 'integer';
  description: string;
  examples: (string | number)[];
  [keyword: string]: unknown;
}

export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

const always = { 'x-required': true } as const;

export const requestId: AnswerHeaders = {
  'X-Request-Id': {
    'x-component': 'RequestId',
    ...always,
    type: 'string',
    description: 'Identifies this request in the service logs. Include it when you report a problem.',
    examples: ['req_01kb2x7m9defgt4zq8s6w3n5vh'],
  },
};

export const notStored: AnswerHeaders = {
  'Cache-Control': {
    'x-component': 'NotStored',
    ...always,
    type: 'string',
    enum: ['no-store, private'],
    description: 'The response must not be cached.',
    examples: ['no-store, private'],
  },
};

export const neverStored: AnswerHeaders = {
  'Cache-Control': {
    'x-component': 'NeverStored',
    ...always,
    type: 'string',
    enum: ['no-store'],
    description: 'The response describes the current state and must not be cached.',
    examples: ['no-store'],
  },
};

/** Headers of every catalog response, errors included. */
export const revalidated: AnswerHeaders = {
  'Cache-Control': {
    'x-component': 'Revalidated',
    ...always,
    type: 'string',
    enum: ['private, no-cache'],
    description: 'May be cached privately; revalidate with If-None-Match before each use.',
    examples: ['private, no-cache'],
  },
  Vary: {
    'x-component': 'VaryAuthorization',
    ...always,
    type: 'string',
    enum: ['Authorization'],
    description: 'The response depends on the API key: caches must not share it between keys.',
    examples: ['Authorization'],
  },
};

export const etag: AnswerHeaders = {
  ETag: {
    'x-component': 'ETag',
    ...always,
    type: 'string',
    description:
      'Identifies this content. Send it in If-None-Match to get a 304 while the content is unchanged.',
    examples: ['"b3nq1Zt0Qw8mYc2kVt5xR7uLh9s"'],
  },
};

export const retryAfter: AnswerHeaders = {
  'Retry-After': {
    'x-component': 'RetryAfter',
    ...always,
    type: 'integer',
    minimum: 1,
    description: 'Whole seconds to wait before retrying.',
    examples: [30],
  },
};

export const retryWhenPending: AnswerHeaders = {
  'Retry-After': {
    'x-component': 'RetryWhenPending',
    type: 'integer',
    minimum: 1,
    description: 'Only with IDEMPOTENCY_IN_PROGRESS: whole seconds to wait before retrying.',
    examples: [1],
  },
};

export const rateLimits: AnswerHeaders = {
  'RateLimit-Policy': {
    'x-component': 'RateLimitPolicy',
    type: 'string',
    description:
      'The limits that apply: policy name, quota q and window w in seconds. The names are "client", "project" and "day". Absent if the project has no limits.',
    examples: ['"client";q=30;w=60, "project";q=600;w=60, "day";q=10000;w=86400'],
  },
  RateLimit: {
    'x-component': 'RateLimit',
    type: 'string',
    description: 'Remaining quota r of each policy, and seconds t until it resets.',
    examples: ['"client";r=29;t=60, "project";r=599;t=60, "day";r=9999;t=51800'],
  },
};

export const replayed: AnswerHeaders = {
  'Idempotent-Replayed': {
    'x-component': 'IdempotentReplayed',
    type: 'string',
    enum: ['true'],
    description: 'Present if the response replays an earlier launch with the same Idempotency-Key.',
    examples: ['true'],
  },
};

export const authenticate: AnswerHeaders = {
  'WWW-Authenticate': {
    'x-component': 'Authenticate',
    ...always,
    type: 'string',
    description: 'The scheme to authenticate with.',
    examples: ['Bearer'],
  },
};

export const crossOrigin: AnswerHeaders = {
  Vary: {
    'x-component': 'VaryOrigin',
    ...always,
    type: 'string',
    description: 'The response depends on the Origin of the request.',
    examples: ['Origin'],
  },
  'Access-Control-Allow-Origin': {
    'x-component': 'AllowOrigin',
    type: 'string',
    description: 'The origin of the page, if the page may read this response.',
    examples: ['https://app.example.com'],
  },
  'Access-Control-Expose-Headers': {
    'x-component': 'ExposeHeaders',
    type: 'string',
    description: 'The response headers that the page may read.',
    examples: ['Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, X-Request-Id'],
  },
};

export const cacheable: AnswerHeaders = {
  'Cache-Control': {
    'x-component': 'Cacheable',
    ...always,
    type: 'string',
    description: 'How long the response may be cached.',
    examples: ['public, max-age=300'],
  },
};
