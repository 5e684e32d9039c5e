import { type Actor, sees } from '../audit/actor.ts';
import { findRevision } from '../content/experiences.ts';
import { type ExperienceOwner, findOwner } from '../content/owner.ts';
import type { Revision } from '../documents/revision.ts';
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

/** Reads a revision, by default the newest one, or throws 404. The newest one is missing only if the experience has been deleted since. */
export async function knownRevision(
  database: Database,
  { projectId, latestRevision }: ExperienceOwner,
  experienceId: string,
  number: number | undefined,
): Promise<Revision> {
  const found = await findRevision(database, projectId, experienceId, number ?? latestRevision);
  if (found === undefined)
    throw new ApiError(number === undefined ? 'EXPERIENCE_NOT_FOUND' : 'REVISION_NOT_FOUND');
  return found.revision;
}
