import { type ErrorCode, type ErrorExamples, errorTable } from './errors.ts';
import {
  type AnswerHeaders,
  authenticate,
  rateLimits,
  requestId,
  retryAfter,
  retryWhenPending,
} from './headers.ts';
import type { DocumentedAnswer, Scope } from './operation.ts';

/** What an error of each code may look like, where its default text does not tell everything. */
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

/** Headers that come with a code, on whatever route it is answered. */
const ownHeaders: Partial<Record<ErrorCode, AnswerHeaders>> = {
  API_KEY_INVALID: authenticate,
  ADMIN_TOKEN_INVALID: authenticate,
  RUNTIME_TOKEN_INVALID: authenticate,
  CONCURRENCY_LIMIT: retryAfter,
  IDEMPOTENCY_IN_PROGRESS: retryWhenPending,
  RATE_LIMITED: { ...retryAfter, ...rateLimits },
  QUOTA_EXCEEDED: { ...retryAfter, ...rateLimits },
  UNAVAILABLE: retryAfter,
};

/** The answers of an operation that can fail with these codes: one for each status, listing its codes. */
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
  // A text with details is one case of several; without, it is what this operation always says.
  const said = (code: ErrorCode) =>
    (own[code]?.details === undefined && own[code]?.message) || errorTable[code].message;
  return {
    description: codes.map((code) => `\`${code}\`: ${said(code)}`).join('\n\n'),
    headers: Object.assign({}, requestId, headers, ...codes.map((code) => ownHeaders[code] ?? {})),
    content: {
      schema: { allOf: [{ $ref: 'Error#' }, withCodes(codes)] },
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: errorExample(code, examples[code]) }]),
      ),
    },
  };
}

/** Narrows the envelope to some codes and leaves everything else about it open. */
function withCodes(codes: readonly ErrorCode[]): object {
  const error = { type: 'object', properties: { code: { enum: [...codes] } }, additionalProperties: true };
  return { type: 'object', properties: { error } };
}

function errorExample(code: ErrorCode, facts: ErrorExamples[ErrorCode]): object {
  return { error: { code, message: errorTable[code].message, ...facts, requestId: exampleRequestId } };
}

/** What the holder of a key without this scope is told. */
export function missingScope(scope: Scope): ErrorExamples {
  return {
    INSUFFICIENT_SCOPE: {
      message: `This API key lacks the scope ${scope}.`,
      details: { required: scope, granted: ['catalog:read'] },
    },
  };
}

/** Every route can be asked with headers that are too large: the HTTP parser refuses before a route is chosen. */
export const headersTooLarge: DocumentedAnswer = {
  description: '`INVALID_REQUEST`: the address and the headers of the request are larger than 16 KiB.',
  headers: requestId,
  content: {
    schema: { $ref: 'Error#' },
    examples: {
      INVALID_REQUEST: {
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
