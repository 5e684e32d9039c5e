import type { Overwritten } from '@session-launch/contract/admin/apply';
import type { FieldChange } from '@session-launch/contract/admin/changes';
import type { Statement, Transaction } from '../store/database.ts';

/** Changes of targets that operators made after a file last changed the same target, newest first. */
export const sinceFile: Statement = {
  name: 'audit_since_file',
  text: `
    SELECT a.target, a.name, a.at, a.changes
    FROM unnest($1::text[]) AS t(id)
    JOIN LATERAL (
      SELECT id, target, name, at, changes FROM audit
      WHERE target = t.id AND via <> 'file'
        AND id > coalesce((SELECT max(id) FROM audit WHERE target = t.id AND via = 'file'), '')
    ) a ON true
    ORDER BY a.id DESC`,
};

interface Row {
  target: string;
  name: string;
  at: Date;
  changes: FieldChange[];
}

/** What a file changes of a project or of an experience. */
export interface TargetChanges {
  id: string;
  experienceId?: string;
  changes: readonly FieldChange[];
}

/** The changes of a file that replace what operators have changed since a file last changed the same target. */
export async function findOverwritten(
  tx: Transaction,
  targets: readonly TargetChanges[],
): Promise<Overwritten[]> {
  if (targets.length === 0) return [];
  const rows = await tx.query<Row>(sinceFile, [targets.map(({ id }) => id)]);
  if (rows.length === 0) return [];
  return targets.flatMap(({ id, experienceId, changes }) => {
    const own = rows.filter(({ target }) => target === id);
    return changes.flatMap(({ path }) => {
      const row = own.find((one) => one.changes.some((change) => overlap(change.path, path)));
      if (row === undefined) return [];
      return [{ ...(experienceId && { experienceId }), path, by: row.name, at: row.at.toISOString() }];
    });
  });
}

/** Whether the change of one path also changes the other one. */
function overlap(a: string, b: string): boolean {
  return (
    a === b ||
    contains(a, b) ||
    contains(b, a) ||
    (a === 'publishedRevision' && /^(slug|title|runtime)\b/.test(b))
  );
}

/** The empty path is the whole document. */
function contains(outer: string, inner: string): boolean {
  return outer === '' || (inner.startsWith(outer) && /[.[]/.test(inner.charAt(outer.length)));
}
