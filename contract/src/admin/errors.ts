import type { ErrorCode, ErrorExamples } from '../errors.ts';
import { retryAfter } from '../headers.ts';
import type { Operation } from '../operation.ts';

/** Error codes of every operation for operators, in addition to `RATE_LIMITED`. */
export const always: readonly ErrorCode[] = [
  'ADMIN_TOKEN_INVALID',
  'ROLE_FORBIDDEN',
  'CROSS_ORIGIN_REFUSED',
  'HOST_NOT_KNOWN',
  'INTERNAL',
  'UNAVAILABLE',
];

/** Error codes of every change of a versioned document. */
export const ofVersions: readonly ErrorCode[] = ['VERSION_CONFLICT', 'VERSION_REQUIRED'];

/** Error codes of every operation on one project. */
export const ofAProject: readonly ErrorCode[] = ['INVALID_REQUEST', 'PROJECT_NOT_FOUND', ...always];

/** Errors of every request that may have a body, even where the operation reads none. */
const ofBodies: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** The error of a response that takes too much memory or time to be written. */
export const tooLargeToWrite = {
  message:
    'The document is too large to be written in this format. Ask for JSON, or read the experiences one by one.',
};

/** The error of the limit for the concurrent requests of one operator. */
const ofOneOperator: ErrorExamples = {
  RATE_LIMITED: {
    description: 'The operator has too many requests in progress. Retry after the time given in Retry-After.',
    message: 'You have too many requests in progress: at most 32 at a time. Retry after a second.',
    details: { policy: 'operator', limit: 32, retryAfterSeconds: 1 },
    headers: retryAfter,
  },
};

/** The operation with the error of the limit for one operator, if it applies. */
export function withOperatorErrors(operation: Operation): Operation {
  if (operation.caller !== 'operator' || operation.isStream) return operation;
  return {
    ...operation,
    errors: [...operation.errors, 'RATE_LIMITED'],
    errorExamples: { ...ofOneOperator, ...operation.errorExamples },
  };
}

/** The operation with the errors that reading a request body can have. */
export function withBodyErrors(operation: Operation): Operation {
  if (operation.method === 'get') return operation;
  const ofJson: readonly ErrorCode[] = operation.body === undefined ? [] : ['INVALID_JSON'];
  return {
    ...operation,
    errors: [...ofJson, ...operation.errors, ...ofBodies],
    errorExamples: {
      ...(operation.caller === 'operator'
        ? { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 4 MiB.' } }
        : {}),
      UNSUPPORTED_MEDIA_TYPE: { message: 'Content-Type is not a media type.' },
      ...operation.errorExamples,
    },
  };
}
