import type { Applied, AppliedChange } from '@session-launch/contract/admin/projects';
import { canonicalJson } from '../primitives/canonical-json.ts';
import type { Changes } from '../store/changes.ts';
import type { Transaction } from '../store/database.ts';
import { findTaken, writeBatch } from './apply-statements.ts';
import { prepareBytes } from './file-tasks.ts';
import { type PreparedFile, prepare } from './prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import type { Project, ProjectFile, ProjectFileFormat } from './project-file.ts';
import { serialQueue } from './serial-queue.ts';
import { findProject, lockProjects, upsertProject } from './store.ts';

/** Limits of the queue. Each waiting request holds up to 4 MiB. */
const limits = { maxWaiting: 16, maxWaitMs: 30_000 };

/**
 * Applies files one at a time. Parallel requests would only take memory and connections from mints, because
 * `lockProjects` serialises them in the database anyway.
 */
export function openApply(deps: {
  changes: Changes;
}): (bytes: Uint8Array, format: ProjectFileFormat) => Promise<Applied> {
  const enqueue = serialQueue(limits);
  return (bytes, format) => enqueue(() => applyBytes(deps, bytes, format));
}

/** Creates or updates a project in one transaction. Experiences that the file does not list stay unchanged. */
async function applyBytes(
  { changes }: { changes: Changes },
  bytes: Uint8Array,
  format: ProjectFileFormat,
): Promise<Applied> {
  const file = await prepareBytes(bytes, format);
  return changes.commit(async (tx, changed) => {
    changed({ kind: 'project', id: file.project.id });
    return applyPrepared(tx, file);
  });
}

/** Applies a file in the transaction of the caller. */
export function applyInTransaction(tx: Transaction, file: ProjectFile): Promise<Applied> {
  return applyPrepared(tx, prepare(file));
}

async function applyPrepared(tx: Transaction, file: PreparedFile): Promise<Applied> {
  const at = new Date();
  const { project } = file;
  await lockProjects(tx);
  await refuseTaken(tx, file);
  const all: AppliedChange[] = [await applyProject(tx, project, at)];
  for (const batch of file.batches) {
    for (const { id, change, revision, new_revision } of await writeBatch(tx, project.id, batch, at)) {
      const newRevision = new_revision ? { newRevision: true } : {};
      all.push({ kind: 'experience', id, change, revision, ...newRevision });
    }
  }
  return { projectId: project.id, changed: all.some((c) => c.change !== 'unchanged'), changes: all };
}

async function applyProject(tx: Transaction, project: Project, at: Date): Promise<AppliedChange> {
  const before = await findProject(tx, project.id);
  const change = before === undefined ? 'created' : same(before, project) ? 'unchanged' : 'updated';
  if (change !== 'unchanged') await upsertProject(tx, project, at);
  return { kind: 'project', id: project.id, change };
}

/** Whether two values are equal, regardless of the order of fields. */
function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

async function refuseTaken(tx: Transaction, file: PreparedFile): Promise<void> {
  const taken = await findTaken(tx, file.project.id, file.names);
  const problems = taken.flatMap(({ index, id, slug, is_foreign, holder }): ProjectFileProblem[] => [
    ...(is_foreign
      ? [
          {
            path: `experiences[${index}].id`,
            message: `"${id}" belongs to another project; choose another id`,
          },
        ]
      : []),
    ...(holder === null
      ? []
      : [
          {
            path: `experiences[${index}].slug`,
            message: `"${slug}" is the slug of ${holder}, which is not in this file; choose another slug, or change that one in the same file`,
          },
        ]),
  ]);
  if (problems.length > 0) throw new ProjectFileError(problems);
}
