import type { PreparedFile } from '../documents/prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from '../documents/problem.ts';
import type { Transaction } from '../store/database.ts';
import { type DraftSlugRow, findDraftSlugs, findTaken, type TakenRow } from './apply-statements.ts';

/** Throws if an id of the file belongs to another project, or a slug to an experience outside the file. */
export async function refuseTaken(tx: Transaction, file: PreparedFile): Promise<void> {
  const taken = await tx.query<TakenRow>(findTaken, [file.names, file.project.id]);
  const problems: ProjectFileProblem[] = [];
  for (const { index, id, slug, is_foreign, holder } of taken) {
    if (is_foreign) {
      const message = `"${id}" belongs to another project; choose another id`;
      problems.push({ path: `experiences[${index}].id`, message });
    }
    if (holder !== null) {
      const message = `"${slug}" is the slug of ${holder}, which is not in this file; choose another slug, or change that one in the same file`;
      problems.push({ path: `experiences[${index}].slug`, message });
    }
  }
  if (problems.length > 0) throw new ProjectFileError(problems);
}

/** Throws if the file gives an experience the slug of another experience's draft, which the file leaves in place. */
export async function refuseDraftSlugs(
  tx: Transaction,
  file: PreparedFile,
  pending: readonly { id: string }[],
): Promise<void> {
  if (pending.length === 0) return;
  const rows = await tx.query<DraftSlugRow>(findDraftSlugs, [file.project.id, pending.map(({ id }) => id)]);
  if (rows.length === 0) return;
  const names = JSON.parse(file.names) as { id: string }[];
  throw new ProjectFileError(
    rows.map(({ id, slug, holder }) => ({
      path: `experiences[${names.findIndex((one) => one.id === id)}].slug`,
      message: `"${slug}" is the slug of a draft of ${holder}; choose another slug, or change that draft`,
    })),
  );
}
