import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import { lockExperience, readExperience } from '../content/stored-experience.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { lockOutFiles, lockProject, recordListing } from './lock-project.ts';

export const remove: Statement = {
  name: 'delete_experience',
  text: 'SELECT delete_experience($1, $2) AS deleted',
};

/** Deletes an experience: this version of it, if one is given. Throws 409 if a session of it was ever launched. */
export async function deleteExperience(
  tx: Transaction,
  write: Write,
  { actor }: Authored,
  experienceId: string,
  version: number | undefined,
): Promise<void> {
  await lockOutFiles(tx);
  const { projectId } = await readExperience(tx, actor, experienceId);
  await lockProject(tx, projectId);
  const stored = await lockExperience(tx, actor, experienceId);
  if (version !== undefined) await requireVersion(tx, experienceId, version, stored);
  const { slug, title, status, sortOrder } = stored.experience;
  const before = { slug, title, status, sortOrder };
  // A change without a version makes every process drop its cached revisions.
  write.changed({ kind: 'experience', id: experienceId, projectId });
  write.audit({ projectId, target: experienceId, changes: [{ path: '', before }] });
  const author = { by: actor.name, at: new Date() };
  await recordListing(tx, write, projectId, author, [{ path: `experiences[${experienceId}]`, before }]);
  // Last, because it blocks all mints until the transaction ends.
  write.last(async () => {
    const [row] = await tx.query<{ deleted: boolean }>(remove, [projectId, experienceId]);
    if (!row!.deleted) throw new ApiError('EXPERIENCE_IN_USE');
  });
}
