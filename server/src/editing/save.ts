import type { FieldChange } from '@session-launch/contract/admin/changes';
import { type Actor, requirePermission } from '../audit/actor.ts';
import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import { lockExperience, readExperience, type StoredExperience } from '../content/stored-experience.ts';
import { insertRevision, requireFreeSlug, updateExperience } from '../content/write-experience.ts';
import type { Experience } from '../documents/project-file.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import type { Transaction } from '../store/database.ts';
import { invalidDocument } from './check-experience.ts';
import { lockOutFiles, lockProject, recordListing } from './lock-project.ts';

export interface Saved extends Pick<StoredExperience, 'experience' | 'latestRevision' | 'publishedRevision'> {
  version: number;
  newRevision: boolean;
  changes: FieldChange[];
}

export interface SaveRequest {
  authored: Authored;
  /** The version that the change is based on. */
  version: number;
  /** The whole document, checked. */
  document: Experience;
  note: string | undefined;
}

/** What saving a document would change. */
export async function planSave(
  tx: Transaction,
  { authored: { actor }, version, document }: SaveRequest,
): Promise<Saved> {
  return compare(tx, await readExperience(tx, actor, document.id), version, document);
}

/** Saves a document. A change of what a revision freezes makes a new revision, which is not published. */
export async function save(tx: Transaction, write: Write, request: SaveRequest): Promise<Saved> {
  const { authored, version, document, note } = request;
  const { actor } = authored;
  await lockOutFiles(tx);
  // The sortOrder belongs to the order of the project, and its lock comes first. If it changes in between, the version does, too.
  const { projectId, experience } = await readExperience(tx, actor, document.id);
  const movesTo = experience.sortOrder === document.sortOrder ? undefined : document.sortOrder;
  if (movesTo !== undefined) await lockProject(tx, projectId);
  const stored = await lockExperience(tx, actor, document.id);
  const saved = await compare(tx, stored, version, document);
  if (saved.changes.length === 0) return saved;
  requireOriginPermission(actor, saved.changes);

  const author = { by: actor.name, at: new Date() };
  if (saved.newRevision) await insertRevision(tx, document, saved.latestRevision, author, note);
  const newVersion = await updateExperience(tx, document, saved.latestRevision, author);
  write.changed({ kind: 'experience', id: document.id, projectId, version: newVersion });
  write.audit({ projectId, target: document.id, version: newVersion, changes: saved.changes });
  if (movesTo !== undefined) {
    const path = `experiences[${document.id}].sortOrder`;
    const changes = [{ path, before: stored.experience.sortOrder, after: movesTo }];
    await recordListing(tx, write, projectId, author, changes);
  }
  return { ...saved, version: newVersion };
}

async function compare(
  tx: Transaction,
  stored: StoredExperience,
  version: number,
  document: Experience,
): Promise<Saved> {
  await requireVersion(tx, document.id, version, stored);
  requireSameStatus(stored.experience, document);
  const before = stored.experience;
  const changes = fieldChanges(before, document);
  const newRevision = changes.some(({ path }) => /^(slug|title|runtime)\b/.test(path));
  if (before.slug !== document.slug) await requireFreeSlug(tx, stored.projectId, document, 'newest');
  return {
    experience: document,
    version: stored.version,
    latestRevision: stored.latestRevision + (newRevision ? 1 : 0),
    publishedRevision: stored.publishedRevision,
    newRevision,
    changes,
  };
}

const actions = { published: 'publish', draft: 'unpublish', archived: 'archive' };

function requireSameStatus(before: Experience, { status }: Experience): void {
  if (status === before.status) return;
  const message = `must stay ${before.status}; to make it ${status}, ${actions[status]} the experience`;
  throw invalidDocument([{ path: 'experience.status', message }]);
}

/** Throws 403 if the allowed origins change and the role does not include the integration. */
function requireOriginPermission(actor: Actor, changes: readonly FieldChange[]): void {
  if (changes.some(({ path }) => path.startsWith('allowedOrigins')))
    requirePermission(actor, 'run-integration');
}
