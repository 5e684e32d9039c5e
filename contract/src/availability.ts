import type { Static } from 'typebox';
import { crossOrigin, storedBriefly } from './headers.ts';
import { originHeader, tag } from './minting.ts';
import { jsonAnswer, type Operation } from './operation.ts';
import Type from './type.ts';

/** Why a mint would be refused now, or its session could not be connected. */
export const unavailableCodes = [
  'EXPERIENCE_NOT_FOUND',
  'BROWSER_EMBEDS_DISABLED',
  'ORIGIN_NOT_ALLOWED',
  'RATE_LIMITED',
  'EXPERIENCE_NOT_PUBLISHED',
  'TRANSPORT_NOT_CONFIGURED',
  'QUOTA_EXCEEDED',
  'CONCURRENCY_LIMIT',
] as const;

export const availabilitySchema = Type.Object(
  {
    available: Type.Boolean({ description: 'Whether a session could start now.' }),
    code: Type.Optional(
      Type.Enum(unavailableCodes, {
        description: 'The error code that a start would get now. Absent if available.',
      }),
    ),
    message: Type.Optional(
      Type.String({ description: 'The reason in words, for developers. Absent if available.' }),
    ),
    retryAfter: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Seconds after which asking again makes sense. Absent if waiting does not help.',
      }),
    ),
  },
  { $id: 'Availability', description: 'Whether a page could start a session of an experience now.' },
);

export type Availability = Static<typeof availabilitySchema>;

/** The mint routes of pages. */
export const pageEndpoints = ['browser', 'public'] as const;

export const availabilityQuery = Type.Object(
  {
    door: Type.Optional(
      Type.Enum(pageEndpoints, {
        default: 'browser',
        description:
          'The endpoint that the page mints with: `browser` for `/v1/browser-sessions`, `public` for `/v1/public-sessions`.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const availabilityOperation = {
  operationId: 'getAvailability',
  method: 'get',
  path: '/v1/experiences/{experienceId}/availability',
  tag,
  summary: 'Ask whether a session could start',
  description:
    'Answers whether a mint of this page would succeed now and its session could be connected, so that a page can disable its start button in time. It creates, counts and stores nothing; a later mint can still be refused.\n\nThe response is 200 in both cases; `code` is the one that a start would get. Each process answers at most 120 requests a minute of one client, apart from the limits of mints.\n\nCORS headers are those of the mint route.',
  caller: 'anyone',
  params: Type.Object({
    experienceId: Type.String({ description: 'Id of the experience.', examples: ['exp_market_day'] }),
  }),
  query: availabilityQuery,
  headers: Type.Object({ Origin: originHeader }),
  answers: {
    200: jsonAnswer(
      'Whether a session could start.',
      availabilitySchema,
      {
        available: { summary: 'A session could start', value: { available: true } },
        busy: {
          summary: 'Too many conversations at the moment',
          value: {
            available: false,
            code: 'CONCURRENCY_LIMIT',
            message: 'This project has reached its limit of concurrent sessions.',
            retryAfter: 5,
          },
        },
      },
      storedBriefly,
    ),
  },
  errors: ['INVALID_REQUEST', 'ORIGIN_REQUIRED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'],
  errorExamples: {
    INVALID_REQUEST: {
      message: 'The request is not valid: door must be one of browser, public.',
      details: [{ path: 'door', message: 'must be one of browser, public' }],
    },
    RATE_LIMITED: {
      message: 'Too many availability requests from this client: at most 120 a minute. Retry after 42 s.',
      details: { policy: 'client', limit: 120, retryAfterSeconds: 42 },
    },
  },
  everyAnswer: crossOrigin,
} satisfies Operation;
