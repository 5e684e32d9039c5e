import type { FieldChange, VersionConflict } from '@session-launch/contract/admin/changes';
import { ApiError } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';

/** Maximum entries that a conflict reports; of a much older version, only the latest changes are named. */
const maxEntries = 200;

/** The latest changes of a target after a version, newest first. Those of a deleted target with the same id do not count. */
export const since: Statement = {
  name: 'audit_since_version',
  text: `SELECT name, at, changes FROM audit
          WHERE target = $1 AND version > $2
            AND at >= coalesce((SELECT created_at FROM experiences WHERE id = $1), (SELECT created_at FROM projects WHERE id = $1),
                               '-infinity')
          ORDER BY id DESC LIMIT ${maxEntries}`,
};

interface Row {
  name: string;
  at: Date;
  changes: FieldChange[];
}

/** Throws 412, with who changed what since then, unless `sent` is the current version of the target. */
export async function requireVersion(
  tx: Transaction,
  target: string,
  sent: number,
  current: { version: number; updatedBy: string; updatedAt: Date },
): Promise<void> {
  if (sent === current.version) return;
  const rows = sent < current.version ? await tx.query<Row>(since, [target, sent]) : [];
  const [last] = rows;
  throw new ApiError('VERSION_CONFLICT', {
    message: `The current version is ${current.version}, last changed by ${last?.name ?? current.updatedBy}; If-Match has ${sent}.`,
    details: {
      version: current.version,
      by: last?.name ?? current.updatedBy,
      at: (last?.at ?? current.updatedAt).toISOString(),
      changes: combined(rows.toReversed().flatMap(({ changes }) => changes)),
    } satisfies VersionConflict,
  });
}

/** One change per path, from the first value before to the last value after. */
function combined(changes: readonly FieldChange[]): FieldChange[] {
  const byPath = new Map<string, FieldChange>();
  for (const change of changes) {
    // The note of a publication is not a field.
    if (change.path === 'note') continue;
    const earliest = byPath.get(change.path) ?? change;
    byPath.set(change.path, {
      path: change.path,
      ...('before' in earliest ? { before: earliest.before } : {}),
      ...('after' in change ? { after: change.after } : {}),
    });
  }
  return [...byPath.values()];
}
