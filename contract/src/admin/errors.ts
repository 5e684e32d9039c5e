import type { ErrorCode, ErrorExamples } from '../errors.ts';
import { retryAfter } from '../headers.ts';
import type { Operation } from '../operation.ts';
import { resources } from '../resources.ts';

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
const ofVersions: readonly ErrorCode[] = ['VERSION_CONFLICT', 'VERSION_REQUIRED'];

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
    description:
      'The operator has too many requests in progress, or with bodies that are too large together. Retry after the time given in Retry-After.',
    message: 'You have too many requests in progress: at most 32 at a time. Retry after a second.',
    details: { policy: 'operator', limit: 32, retryAfterSeconds: 1 },
    headers: retryAfter,
  },
};

/**
 * The operation with the errors that follow from its other parts: those of invalid input, of ids in its path that name nothing, of
 * versions, of every operation for operators, and of the limit for one operator.
 */
export function withOperatorErrors(operation: Operation): Operation {
  const { caller, params, query, body, errors = [], errorExamples, isVersioned, isStream } = operation;
  if (caller !== 'operator') return operation;
  const all = new Set<ErrorCode>([
    ...errors,
    ...((params ?? query ?? body) ? (['INVALID_REQUEST'] as const) : []),
    ...notFound(operation),
    ...always,
    ...(isVersioned ? ofVersions : []),
    ...(isStream ? [] : (['RATE_LIMITED'] as const)),
  ]);
  return { ...operation, errors: [...all], errorExamples: { ...ofOneOperator, ...errorExamples } };
}

/** The codes for ids in the path that name nothing, such as `KEY_NOT_FOUND` for `keyId`; those of the innermost resource first. */
function notFound({ path }: Operation): ErrorCode[] {
  return Object.entries(resources)
    .filter(([kind, row]) => 'prefix' in row && path.includes(`{${kind}Id}`))
    .sort(([a], [b]) => path.indexOf(`{${b}Id}`) - path.indexOf(`{${a}Id}`))
    .map(([kind]) => `${kind.toUpperCase()}_NOT_FOUND` as ErrorCode);
}

/** The operation with the errors that reading a request body can have. */
export function withBodyErrors(operation: Operation): Operation {
  if (operation.method === 'get') return operation;
  const ofJson: readonly ErrorCode[] = operation.body === undefined ? [] : ['INVALID_JSON'];
  return {
    ...operation,
    errors: [...ofJson, ...(operation.errors ?? []), ...ofBodies],
    errorExamples: {
      ...(operation.caller === 'operator'
        ? { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 4 MiB.' } }
        : {}),
      UNSUPPORTED_MEDIA_TYPE: { message: 'Content-Type is not a media type.' },
      ...operation.errorExamples,
    },
  };
}
