import type { ErrorCode } from '../errors.ts';

/** Error codes of every admin operation. */
export const always: readonly ErrorCode[] = ['ADMIN_TOKEN_INVALID', 'INTERNAL', 'UNAVAILABLE'];

/** Error codes of every operation on one project. */
export const ofAProject: readonly ErrorCode[] = ['INVALID_REQUEST', 'PROJECT_NOT_FOUND', ...always];
