import type { FieldChange } from '@session-launch/contract/admin/changes';
import type { Write } from '../audit/commit.ts';
import { findStoredProject, type StoredProject } from '../content/projects.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';

export const lockFiles: Statement = {
  name: 'lock_projects_shared',
  text: 'SELECT pg_advisory_xact_lock_shared(7315042018)',
};

/**
 * Waits for a file that is being applied, and lets none begin until the transaction ends: see `lockProjects`. Other edits are not
 * blocked. Comes before all other locks.
 */
export async function lockOutFiles(tx: Transaction): Promise<void> {
  await tx.query(lockFiles);
}

export const lock: Statement = {
  name: 'lock_project',
  text: 'SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE',
};

/**
 * Reads a project and keeps others from changing its settings, its order or its list of experiences until the transaction ends. Comes
 * before the locks of experiences, so that edits cannot deadlock. Throws 404 if the project does not exist.
 */
export async function lockProject(tx: Transaction, projectId: string): Promise<StoredProject> {
  await tx.query(lock, [projectId]);
  const stored = await findStoredProject(tx, projectId);
  if (stored === undefined || stored.isDeleted) throw new ApiError('PROJECT_NOT_FOUND');
  return stored;
}

export const count: Statement = {
  name: 'count_project_version',
  text: `UPDATE projects SET version = version + 1, updated_at = $2, updated_by = $3, managed_by = 'console'
          WHERE id = $1 RETURNING version`,
};

/** Counts and records a change of the list of experiences or of their order. Returns the version of the project. */
export async function recordListing(
  tx: Transaction,
  write: Write,
  projectId: string,
  { by, at }: { by: string; at: Date },
  changes: FieldChange[],
): Promise<number> {
  const [row] = await tx.query<{ version: number }>(count, [projectId, at, by]);
  const { version } = row!;
  write.changed({ kind: 'project', id: projectId, version });
  write.audit({ projectId, target: projectId, version, changes });
  return version;
}
