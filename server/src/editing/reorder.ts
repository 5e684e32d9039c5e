import type { Authored, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import { invalidRequest } from '../primitives/errors.ts';
import type { Statement, Transaction } from '../store/database.ts';
import { lockOutFiles, lockProject, recordListing } from './lock-project.ts';
import { type Placed, rearrange } from './order.ts';

export const places: Statement = {
  name: 'lock_places',
  text: `SELECT id, sort_order AS "sortOrder" FROM experiences WHERE project_id = $1 ORDER BY id FOR NO KEY UPDATE`,
};

export const move: Statement = {
  name: 'move_experiences',
  text: `
    UPDATE experiences e SET sort_order = m."sortOrder", updated_at = $2, updated_by = $3, managed_by = 'console'
      FROM json_to_recordset($1::json) AS m(id text, "sortOrder" integer) WHERE e.id = m.id
    RETURNING e.id, e.version`,
};

/** Puts the experiences of a project into this order. Returns those whose position had to change. */
export async function reorder(
  tx: Transaction,
  write: Write,
  { actor }: Authored,
  projectId: string,
  version: number,
  experienceIds: readonly string[],
): Promise<{ version: number; moved: Placed[] }> {
  await lockOutFiles(tx);
  const stored = await lockProject(tx, projectId);
  await requireVersion(tx, projectId, version, stored);
  const rows = await tx.query<Placed>(places, [projectId]);
  const before = new Map(rows.map(({ id, sortOrder }) => [id, sortOrder]));
  requireAll(before, experienceIds);
  const moved = rearrange(experienceIds.map((id) => ({ id, sortOrder: before.get(id)! })));
  if (moved.length === 0) return { version: stored.version, moved };

  const author = { by: actor.name, at: new Date() };
  const after = new Map(moved.map(({ id, sortOrder }) => [id, sortOrder]));
  const written = await tx.query<{ id: string; version: number }>(move, [
    JSON.stringify(moved),
    author.at,
    author.by,
  ]);
  const change = (path: string, id: string) => ({ path, before: before.get(id), after: after.get(id) });
  for (const { id, version } of written) {
    write.changed({ kind: 'experience', id, projectId, version });
    write.audit({ projectId, target: id, version, changes: [change('sortOrder', id)] });
  }
  const changes = moved.map(({ id }) => change(`experiences[${id}].sortOrder`, id));
  return { version: await recordListing(tx, write, projectId, author, changes), moved };
}

/** Throws 400 unless the list has each experience of the project once. */
function requireAll(known: ReadonlyMap<string, number>, experienceIds: readonly string[]): void {
  const seen = new Set<string>();
  const problems = experienceIds.flatMap((id, i) => {
    const path = `experienceIds[${i}]`;
    if (!known.has(id)) return [{ path, message: 'is not an experience of this project' }];
    if (seen.has(id)) return [{ path, message: 'is in the list twice' }];
    seen.add(id);
    return [];
  });
  const missing = [...known.keys()].filter((id) => !seen.has(id));
  if (missing.length > 0)
    problems.push({ path: 'experienceIds', message: `must also have ${missing.slice(0, 20).join(', ')}` });
  if (problems.length > 0) throw invalidRequest(problems);
}
