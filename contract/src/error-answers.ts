import { type ErrorCode, type ErrorExamples, errorSchema, errorTable } from './errors.ts';
import {
  type AnswerHeader,
  type AnswerHeaders,
  authenticate,
  rateLimits,
  requestId,
  retryAfter,
  retryWhenPending,
} from './headers.ts';
import type { DocumentedAnswer, Scope } from './operation.ts';

/** Example errors by code, where the default message alone would not be informative. */
const shown: ErrorExamples = {
  INVALID_JSON: { message: 'The request body is not valid JSON.' },
  INVALID_REQUEST: {
    message: 'The request is not valid: speechOnly must be a boolean.',
    details: [{ path: 'speechOnly', message: 'must be a boolean' }],
  },
  LOCALE_CONFLICT: { details: { secondaryLocale: 'es', learningLocale: 'es-MX' } },
  IDEMPOTENCY_KEY_INVALID: {
    details: [{ path: 'Idempotency-Key', message: 'has 300 characters; 256 are allowed' }],
  },
  ORIGIN_NOT_ALLOWED: {
    message:
      'This origin is not on the allowlist of the project. Add it to allowedOrigins and apply the project file.',
    details: { origin: 'https://app.example.com:8443', hint: 'An allowed origin differs only in its port.' },
  },
  RATE_LIMITED: {
    message: 'Too many sessions for this client: at most 30 a minute. Retry after 42 s.',
    details: { policy: 'client', limit: 30, retryAfterSeconds: 42 },
  },
  QUOTA_EXCEEDED: { details: { limit: 10_000, retryAfterSeconds: 51_800 } },
};

const exampleRequestId = 'req_01kb2x7m9defgt4zq8s6w3n5vh';

/** Headers that accompany an error code on every route. */
const ownHeaders: Partial<Record<ErrorCode, AnswerHeaders>> = {
  API_KEY_INVALID: authenticate,
  ADMIN_TOKEN_INVALID: authenticate,
  RUNTIME_TOKEN_INVALID: authenticate,
  CONCURRENCY_LIMIT: retryAfter,
  IDEMPOTENCY_IN_PROGRESS: retryWhenPending,
  RATE_LIMITED: { ...retryAfter, ...rateLimits },
  QUOTA_EXCEEDED: { ...retryAfter, ...rateLimits },
  TOO_MANY_LOGINS: retryAfter,
  TOO_MANY_STREAMS: retryAfter,
  UNAVAILABLE: retryAfter,
};

/** The error responses of an operation that can fail with these codes: one per status, listing its codes. */
export function errorAnswers(
  codes: readonly ErrorCode[],
  headers: AnswerHeaders,
  own: ErrorExamples,
): Record<number, DocumentedAnswer> {
  const answers: Record<number, DocumentedAnswer> = {};
  for (const status of new Set(codes.map((code) => errorTable[code].status))) {
    const those = codes.filter((code) => errorTable[code].status === status);
    answers[status] = errorAnswer(those, headers, own);
  }
  return answers;
}

function errorAnswer(
  codes: readonly ErrorCode[],
  headers: AnswerHeaders,
  own: ErrorExamples,
): DocumentedAnswer {
  const examples = { ...shown, ...own };
  // A message with details is one example of several; without details it is the operation's only message.
  const said = (code: ErrorCode) =>
    own[code]?.description ??
    ((own[code]?.details === undefined && own[code]?.message) || errorTable[code].message);
  return {
    description: codes.map((code) => `\`${code}\`: ${said(code)}`).join('\n\n'),
    headers: { ...requestId, ...headers, ...headersOf(codes, own) },
    content: {
      schema: restricted(codes),
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: errorExample(code, examples[code]) }]),
      ),
    },
  };
}

/** The headers of these codes. A header that not all of them have is optional. */
function headersOf(codes: readonly ErrorCode[], own: ErrorExamples): AnswerHeaders {
  const each = codes.map((code) => own[code]?.headers ?? ownHeaders[code] ?? {});
  const entries = each.flatMap((headers) => Object.entries(headers));
  return Object.fromEntries(
    entries.map(([name, header]) => [name, each.every((one) => name in one) ? header : sometimes(header)]),
  );
}

function sometimes({ 'x-required': required, ...header }: AnswerHeader): AnswerHeader {
  return required ? { ...header, 'x-component': `${header['x-component']}Sometimes` } : header;
}

/** The error envelope, restricted to these codes. */
function restricted(codes: readonly ErrorCode[]): object {
  const error = { type: 'object', properties: { code: { enum: [...codes] } }, additionalProperties: true };
  return { allOf: [errorSchema, { type: 'object', properties: { error } }] };
}

function errorExample(code: ErrorCode, facts: ErrorExamples[ErrorCode] = {}): object {
  const { message = errorTable[code].message, details } = facts;
  const more = details === undefined ? {} : { details };
  return { error: { code, message, ...more, requestId: exampleRequestId } };
}

/** The error for a key that lacks this scope. */
export function missingScope(scope: Scope): ErrorExamples {
  return {
    INSUFFICIENT_SCOPE: {
      message: `This API key lacks the scope ${scope}.`,
      details: { required: scope, granted: ['catalog:read'] },
    },
  };
}

/** Any route can fail with oversized headers: the HTTP parser rejects them before routing. */
export const headersTooLarge: DocumentedAnswer = {
  description: '`INVALID_REQUEST`: the URL and headers of the request are larger than 16 KiB.',
  content: {
    schema: errorSchema,
    examples: {
      HEADERS_TOO_LARGE: {
        value: {
          error: {
            code: 'INVALID_REQUEST',
            message: 'The request headers are too large.',
            requestId: exampleRequestId,
          },
        },
      },
    },
  },
};
