import type { Change } from '@session-launch/contract/admin/changes';
import { differences } from '../primitives/differences.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';
import type { Frozen, StoredExperience } from './stored.ts';

export interface RevisionSummary {
  revision: number;
  createdAt: Date;
  createdBy: string;
  note: string | null;
  sessions: number;
}

/** The sessions of one experience are counted through their index, once for all revisions. Planned at each call, for its values. */
export const list: Statement = {
  text: `
    SELECT r.number AS revision, r.created_at AS "createdAt", r.created_by AS "createdBy", r.note,
           coalesce(s.sessions, 0)::integer AS sessions
      FROM revisions r
      LEFT JOIN (
        SELECT revision, count(*) AS sessions FROM sessions WHERE project_id = $1 AND experience_id = $2 GROUP BY revision
      ) s ON s.revision = r.number
     WHERE r.experience_id = $2 ORDER BY r.number DESC`,
};

/** The revisions of an experience, newest first. */
export function listRevisions(
  tx: Transaction,
  { projectId, experience }: StoredExperience,
): Promise<RevisionSummary[]> {
  return tx.query(list, [projectId, experience.id]);
}

export const find: Statement = {
  name: 'read_frozen_revision',
  text: 'SELECT slug, title, runtime FROM revisions WHERE experience_id = $1 AND number = $2',
};

/** Reads a revision, or throws 404. */
export async function readFrozen(tx: Transaction, experienceId: string, revision: number): Promise<Frozen> {
  const [found] = await tx.query<Frozen>(find, [experienceId, revision]);
  if (found === undefined) throw new ApiError('REVISION_NOT_FOUND');
  return found;
}

/** The differences from one revision to another; a first revision differs from an empty document. */
export async function compareRevisions(
  tx: Transaction,
  experienceId: string,
  from: number,
  to: number,
): Promise<Change[]> {
  const after = await readFrozen(tx, experienceId, to);
  return differences(from === 0 ? {} : await readFrozen(tx, experienceId, from), after);
}
