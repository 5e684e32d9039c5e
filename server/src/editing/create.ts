import { requirePermission } from '../audit/actor.ts';
import type { Authored, Write } from '../audit/commit.ts';
import { readExperience, type StoredExperience } from '../content/stored-experience.ts';
import { insertExperience, requireFreeSlug } from '../content/write-experience.ts';
import type { Experience } from '../documents/project-file.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { invalidDocument } from './check-experience.ts';
import { lockOutFiles, lockProject, recordListing } from './lock-project.ts';

export const findLast: Statement = {
  name: 'find_last_position',
  text: 'SELECT max(sort_order) AS last FROM experiences WHERE project_id = $1',
};

/** Distance between the positions of experiences that are created one after the other. */
const gap = 10;
const highest = 2_147_483_647;

/** Creates an experience; without a position it comes last. */
export async function create(
  tx: Transaction,
  write: Write,
  { actor }: Authored,
  projectId: string,
  document: Experience,
  hasPosition: boolean,
): Promise<StoredExperience> {
  if (document.allowedOrigins.length > 0) requirePermission(actor, 'run-integration');
  await lockOutFiles(tx);
  await lockProject(tx, projectId);
  const [{ last } = { last: null }] = await tx.query<{ last: number | null }>(findLast, [projectId]);
  const sortOrder = hasPosition ? document.sortOrder : Math.min((last ?? 0) + gap, highest);
  const experience = { ...document, sortOrder };
  await requireFreeSlug(tx, projectId, experience, 'newest');
  if (experience.status === 'published') await requireFreeSlug(tx, projectId, experience, 'published');
  const author = { by: actor.name, at: new Date() };
  const version = await insertExperience(tx, projectId, experience, author);
  if (version === undefined) {
    const message = `"${experience.id}" is the id of another experience; choose another one, or omit it`;
    throw invalidDocument([{ path: 'experience.id', message }]);
  }
  const { id, slug, title, status } = experience;
  const after = { slug, title, status, sortOrder };
  write.changed({ kind: 'experience', id, projectId, version });
  write.audit({ projectId, target: id, version, changes: [{ path: '', after }] });
  await recordListing(tx, write, projectId, author, [{ path: `experiences[${id}]`, after }]);
  return readExperience(tx, actor, id);
}
