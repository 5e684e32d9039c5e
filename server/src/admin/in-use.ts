import { ApiError } from '../primitives/errors.ts';

/** The error of a picture or face that cannot be deleted, because experiences use it. */
export function inUse(what: string, usedBy: readonly string[]): ApiError {
  const shown = usedBy.slice(0, 5).join(', ');
  const more = usedBy.length > 5 ? ` and ${usedBy.length - 5} more` : '';
  return new ApiError('ART_IN_USE', {
    message: `${what} is used by ${shown}${more}. Choose another one there first.`,
    details: { usedBy },
  });
}
