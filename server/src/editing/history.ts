import type { FieldChange } from '@session-launch/contract/admin/changes';
import type { Frozen, StoredExperience } from '../content/stored-experience.ts';
import { ApiError } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import { readBelow } from '../statistics/usage.ts';
import type { Statement, Transaction } from '../store/database.ts';

export interface RevisionSummary {
  revision: number;
  createdAt: Date;
  createdBy: string;
  note: string | null;
  sessions: number;
}

/** Maximum sessions that are not rolled up, and as many late ones, that are counted for one list. More exist only after an upgrade or a long outage. */
const maxRecent = 20_000;

/**
 * One statement, so it is a consistent snapshot: each session is either in revision_counts or counted here. Planned at each call, for the
 * value of `readBelow`.
 */
export const list: Statement = {
  text: `
    WITH progress AS MATERIALIZED (
      SELECT coalesce((SELECT p.below FROM usage_progress p WHERE p.is_only), '') AS below,
             coalesce((SELECT p.revisions_below FROM usage_progress p WHERE p.is_only), '') AS revisions_below
    ), recent AS MATERIALIZED (
      SELECT s.revision FROM sessions s
       WHERE s.project_id = $1 AND s.experience_id = $2 AND s.id >= $3 AND s.id >= (SELECT below FROM progress)
       ORDER BY s.id DESC LIMIT $4
    ), late AS MATERIALIZED (
      SELECT u.session_id FROM uncounted_sessions u
       WHERE u.project_id = $1 AND u.is_late AND u.session_id < (SELECT revisions_below FROM progress) LIMIT $4
    ), parts AS (
      SELECT revision, count(*) AS sessions FROM recent GROUP BY revision
      UNION ALL
      SELECT c.revision, c.sessions FROM revision_counts c WHERE c.experience_id = $2
      UNION ALL
      SELECT s.revision, 1 FROM late u
       CROSS JOIN LATERAL (SELECT s.* FROM sessions s WHERE s.id = u.session_id OFFSET 0) s
       WHERE s.experience_id = $2
    ), counted AS (
      SELECT revision, sum(sessions) AS sessions FROM parts GROUP BY revision
    )
    SELECT r.number AS revision, r.created_at AS "createdAt", r.created_by AS "createdBy", r.note,
           coalesce(c.sessions, 0)::double precision AS sessions,
           (SELECT revisions_below < below FROM progress) OR (SELECT count(*) = $4 FROM recent)
             OR (SELECT count(*) = $4 FROM late) AS "isCounting"
      FROM revisions r LEFT JOIN counted c ON c.revision = r.number
     WHERE r.experience_id = $2 ORDER BY r.number DESC`,
};

export interface ListedRevisions {
  revisions: RevisionSummary[];
  /** Sessions that were minted before an upgrade have not all been counted yet: the numbers of sessions are lower bounds. */
  isCounting: boolean;
}

/** The revisions of an experience, newest first. */
export async function listRevisions(
  tx: Transaction,
  { projectId, experience }: StoredExperience,
): Promise<ListedRevisions> {
  const values = [projectId, experience.id, await readBelow(tx.query), maxRecent];
  const rows = await tx.query<RevisionSummary & { isCounting: boolean }>(list, values);
  return {
    revisions: rows.map(({ isCounting: _, ...revision }) => revision),
    isCounting: rows.some(({ isCounting }) => isCounting),
  };
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
): Promise<FieldChange[]> {
  const after = await readFrozen(tx, experienceId, to);
  return fieldChanges(from === 0 ? {} : await readFrozen(tx, experienceId, from), after);
}
