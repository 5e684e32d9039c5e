import { type Actor, sees } from '../audit/actor.ts';
import { type Experience, withoutNulls } from '../documents/project-file.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { experienceDocument } from './projects.ts';

/** An experience as it is stored. */
export interface StoredExperience {
  projectId: string;
  /** The newest revision with the current settings. */
  experience: Experience;
  /** The published revision with the current settings. */
  live: Experience | undefined;
  version: number;
  latestRevision: number;
  publishedRevision: number | undefined;
  managedBy: 'file' | 'console';
  source: string | undefined;
  updatedAt: Date;
  updatedBy: string;
}

/** What a revision freezes. */
export type Frozen = Pick<Experience, 'slug' | 'title' | 'runtime'>;

interface Row extends Omit<StoredExperience, 'live' | 'publishedRevision' | 'source'> {
  live: Experience | null;
  publishedRevision: number | null;
  source: string | null;
}

export const read: Statement = {
  name: 'read_experience',
  text: `
    SELECT e.project_id AS "projectId", ${experienceDocument('e', 'newest')} AS experience,
           CASE WHEN live.number IS NOT NULL THEN ${experienceDocument('e', 'live')} END AS live, e.version,
           e.latest_revision AS "latestRevision", e.published_revision AS "publishedRevision", e.managed_by AS "managedBy",
           e.source, e.updated_at AS "updatedAt", e.updated_by AS "updatedBy"
      FROM experiences e
      JOIN projects p ON p.id = e.project_id AND p.deleted_at IS NULL
      JOIN revisions newest ON newest.experience_id = e.id AND newest.number = e.latest_revision
      LEFT JOIN revisions live ON live.experience_id = e.id AND live.number = e.published_revision
     WHERE e.id = $1`,
};

/** Reads an experience. Throws 404 if it does not exist or belongs to a project that the operator does not see. */
export async function readExperience(
  tx: Transaction,
  actor: Actor,
  experienceId: string,
): Promise<StoredExperience> {
  const [row] = isId('exp', experienceId) ? await tx.query<Row>(read, [experienceId]) : [];
  if (row === undefined || !sees(actor, row.projectId)) throw new ApiError('EXPERIENCE_NOT_FOUND');
  return {
    ...row,
    experience: withoutNulls(row.experience),
    live: row.live === null ? undefined : withoutNulls(row.live),
    publishedRevision: row.publishedRevision ?? undefined,
    source: row.source ?? undefined,
  };
}

export const lock: Statement = {
  name: 'lock_experience',
  text: 'SELECT 1 FROM experiences WHERE id = $1 FOR NO KEY UPDATE',
};

/** Like `readExperience`, and keeps others from changing the experience until the transaction ends. */
export async function lockExperience(
  tx: Transaction,
  actor: Actor,
  experienceId: string,
): Promise<StoredExperience> {
  // Two statements: the second one sees what was committed while the first one waited.
  if (isId('exp', experienceId)) await tx.query(lock, [experienceId]);
  return readExperience(tx, actor, experienceId);
}
