import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';

/** Error codes of every operation for operators. */
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

/** The operation with the errors that reading a request body can have. */
export function withBodyErrors(operation: Operation): Operation {
  if (operation.method === 'get') return operation;
  return {
    ...operation,
    errors: [...new Set([...operation.errors, ...ofBodies])],
    errorExamples: {
      ...(operation.caller === 'operator'
        ? { PAYLOAD_TOO_LARGE: { message: 'The request body is larger than 4 MiB.' } }
        : {}),
      UNSUPPORTED_MEDIA_TYPE: { message: 'Content-Type is not a media type.' },
      ...operation.errorExamples,
    },
  };
}
