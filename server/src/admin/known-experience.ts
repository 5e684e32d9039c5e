import { type Actor, sees } from '../access/actor.ts';
import { type ExperienceOwner, findOwner } from '../experiences/owner.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Database } from '../store/database.ts';

/** Throws 404 if the experience does not exist or this operator does not see its project. */
export async function knownExperience(
  database: Database,
  actor: Actor,
  experienceId: string,
): Promise<ExperienceOwner> {
  const owner = isId('exp', experienceId) ? await findOwner(database, experienceId) : undefined;
  if (owner === undefined || !sees(actor, owner.projectId)) throw new ApiError('EXPERIENCE_NOT_FOUND');
  return owner;
}

/** The error for a revision that was not found. The newest one, used if the request names none, is missing only if the experience was deleted. */
export function missingRevision(named: number | undefined): ApiError {
  return new ApiError(named === undefined ? 'EXPERIENCE_NOT_FOUND' : 'REVISION_NOT_FOUND');
}
