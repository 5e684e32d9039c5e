import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { lockOutFiles, lockProject, recordListing } from './project.ts';
import { lockExperience, readExperience } from './stored.ts';

export const lockMints: Statement = {
  name: 'lock_mints',
  text: `SELECT pg_advisory_xact_lock(7315042019), set_config('session_launch.deleting', 'on', true)`,
};

/**
 * Permits the transaction to delete revisions. Waits for mints that are being written, and blocks others until the transaction ends, so
 * that no session without its revision is recorded: see require_revisions.
 */
export async function lockOutMints(tx: Transaction): Promise<void> {
  await tx.query(lockMints);
}

export const findUse: Statement = {
  text: `SELECT 1 FROM experiences WHERE id = $2 AND was_launched
         UNION ALL (SELECT 1 FROM sessions WHERE project_id = $1 AND experience_id = $2 LIMIT 1)`,
};
export const deleteRevisions: Statement = {
  name: 'delete_revisions',
  text: 'DELETE FROM revisions WHERE experience_id = ANY ($1::text[])',
};
export const deleteExperiences: Statement = {
  name: 'delete_experiences',
  text: 'DELETE FROM experiences WHERE id = ANY ($1::text[])',
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
  await lockOutMints(tx);
  if ((await tx.query(findUse, [projectId, experienceId])).length > 0)
    throw new ApiError('EXPERIENCE_IN_USE');
  await removeExperiences(tx, [experienceId]);
  const { slug, title, status, sortOrder } = stored.experience;
  const before = { slug, title, status, sortOrder };
  // A change without a version makes every process drop its cached revisions.
  write.changed({ kind: 'experience', id: experienceId, projectId });
  write.audit({ projectId, target: experienceId, changes: [{ path: '', before }] });
  const author = { by: actor.name, at: new Date() };
  await recordListing(tx, write, projectId, author, [{ path: `experiences[${experienceId}]`, before }]);
}

/** Deletes experiences with their revisions. Call `lockOutMints` first. */
export async function removeExperiences(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(deleteRevisions, [ids]);
  await tx.query(deleteExperiences, [ids]);
}
