import type { ErrorCode } from '../errors.ts';

/** What every operation of the admin API can answer with. */
export const always: readonly ErrorCode[] = ['ADMIN_TOKEN_INVALID', 'INTERNAL', 'UNAVAILABLE'];

/** The same for those about one project. */
export const ofAProject: readonly ErrorCode[] = ['INVALID_REQUEST', 'PROJECT_NOT_FOUND', ...always];
