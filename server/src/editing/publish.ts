import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import { lockExperience, readExperience, type StoredExperience } from '../content/stored-experience.ts';
import { changeStatus, requireFreeSlug } from '../content/write-experience.ts';
import type { Experience } from '../documents/project-file.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { readFrozen } from './history.ts';
import { lockOutFiles } from './lock-project.ts';

interface StatusRequest {
  authored: Authored;
  experienceId: string;
  /** The version that the change is based on. */
  version: number;
}

export const addNote: Statement = {
  name: 'note_revision',
  text: 'UPDATE revisions SET note = $3 WHERE experience_id = $1 AND number = $2 AND note IS NULL',
};

/** Publishes a revision, by default the newest one. The note becomes that of the revision, unless it has one from when it was saved. */
export async function publish(
  tx: Transaction,
  write: Write,
  { revision, note, ...request }: StatusRequest & { revision?: number; note?: string },
): Promise<StoredExperience> {
  const stored = await lockVersion(tx, request);
  const { projectId, latestRevision, experience } = stored;
  const published = revision ?? latestRevision;
  const { slug } = await readFrozen(tx, experience.id, published);
  await requireFreeSlug(tx, projectId, { id: experience.id, slug }, 'published');
  return change(tx, write, request, stored, 'published', published, note);
}

/** Withdraws the published revision. */
export async function withdraw(
  tx: Transaction,
  write: Write,
  request: StatusRequest,
  status: 'draft' | 'archived',
): Promise<StoredExperience> {
  return change(tx, write, request, await lockVersion(tx, request), status, undefined);
}

async function lockVersion(
  tx: Transaction,
  { authored, experienceId, version }: StatusRequest,
): Promise<StoredExperience> {
  await lockOutFiles(tx);
  const stored = await lockExperience(tx, authored.actor, experienceId);
  await requireVersion(tx, experienceId, version, stored);
  return stored;
}

async function change(
  tx: Transaction,
  write: Write,
  { authored: { actor }, experienceId }: StatusRequest,
  { projectId, experience, publishedRevision }: StoredExperience,
  status: Experience['status'],
  revision: number | undefined,
  note?: string,
): Promise<StoredExperience> {
  const changes = fieldChanges(
    { status: experience.status, publishedRevision },
    { status, publishedRevision: revision },
  );
  if (changes.length > 0) {
    const author = { by: actor.name, at: new Date() };
    const version = await changeStatus(tx, experienceId, status, revision, author);
    write.changed({ kind: 'experience', id: experienceId, projectId, version });
    if (note !== undefined) await tx.query(addNote, [experienceId, revision, note]);
    const noted = note === undefined ? changes : [...changes, { path: 'note', after: note }];
    write.audit({ projectId, target: experienceId, version, changes: noted });
  }
  return readExperience(tx, actor, experienceId);
}
