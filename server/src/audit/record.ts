import type { FieldChange } from '@session-launch/contract/admin/changes';
import { newId } from '../primitives/ids.ts';
import type { Statement, Transaction } from '../store/database.ts';
import type { Actor } from './actor.ts';

/** A change to record. */
export interface AuditedChange {
  action: string;
  projectId?: string | undefined;
  /** The id of what was changed. */
  target: string;
  /** Its version after the change, if it has versions. */
  version?: number | undefined;
  changes?: readonly FieldChange[];
}

export const insert: Statement = {
  name: 'insert_audit',
  text: `
    INSERT INTO audit (id, at, operator_id, name, via, action, project_id, target, version, changes, request_id, address)
    SELECT e.id, $2, $3, $4, $5, e.action, e."projectId", e.target, e.version, e.changes, $6, $7
      FROM json_to_recordset($1::json) AS e(id text, action text, "projectId" text, target text, version integer, changes json)`,
};

/** Records changes in the transaction that makes them. Values must not contain a secret. */
export async function recordAudit(
  tx: Transaction,
  actor: Actor,
  entries: readonly AuditedChange[],
  at = new Date(),
): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map(({ changes = [], ...entry }) => ({
    ...entry,
    id: newId('aud'),
    changes: bounded(changes),
  }));
  const { operatorId, name, via, requestId, address } = actor;
  // An applied file may change thousands of experiences. Short statements keep the event loop and the connection responsive.
  for (let from = 0; from < rows.length; from += batchRows) {
    const batch = JSON.stringify(rows.slice(from, from + batchRows));
    await tx.query(insert, [batch, at, operatorId, name, via, requestId, address]);
  }
}

/** Maximum entries of one statement. */
const batchRows = 500;

/** Limits of one entry: changes, characters of one value, characters of all values. Revisions hold the complete documents. */
const maxChanges = 500;
const maxValueLength = 4_000;
const maxEntryLength = 64_000;

const cut = '…';

/**
 * The changes within the bounds of an entry. Values that do not fit are replaced by an ellipsis. Of the changes after the first ones, only the
 * top-level fields are named, so that each changed field is still contained in a recorded path.
 */
function bounded(changes: readonly FieldChange[]): FieldChange[] {
  let left = maxEntryLength;
  const shortened = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    const length = Math.min(text.length, maxValueLength);
    if (length > left) return cut;
    left -= length;
    return text.length <= maxValueLength ? value : `${text.slice(0, maxValueLength).toWellFormed()}${cut}`;
  };
  const recorded = changes.slice(0, maxChanges).map(({ path, before, after }) => ({
    path,
    ...(before === undefined ? {} : { before: shortened(before) }),
    ...(after === undefined ? {} : { after: shortened(after) }),
  }));
  const others = new Set(changes.slice(maxChanges).map(({ path }) => /^[^.[]*/.exec(path)![0]));
  return [...recorded, ...Array.from(others, (path) => ({ path, before: cut, after: cut }))];
}
