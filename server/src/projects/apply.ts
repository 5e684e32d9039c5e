import type { Applied, AppliedChange } from '@session-launch/contract/admin/projects';
import { canonicalJson } from '../primitives/canonical-json.ts';
import type { Changes } from '../store/changes.ts';
import type { Transaction } from '../store/database.ts';
import { findTaken, type TakenRow, type WrittenRow, writeExperiences } from './apply-statements.ts';
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
export function openApply(
  changes: Changes,
): (bytes: Uint8Array, format: ProjectFileFormat) => Promise<Applied> {
  const enqueue = serialQueue(limits);
  return (bytes, format) =>
    enqueue(async () => {
      const file = await prepareBytes(bytes, format);
      return changes.commit(async (tx, changed) => {
        changed({ kind: 'project', id: file.project.id });
        return applyPrepared(tx, file);
      });
    });
}

/** Applies a file in the transaction of the caller. */
export function applyInTransaction(tx: Transaction, file: ProjectFile): Promise<Applied> {
  return applyPrepared(tx, prepare(file));
}

/** Creates or updates a project. Experiences that the file does not list stay unchanged. */
async function applyPrepared(tx: Transaction, file: PreparedFile): Promise<Applied> {
  const at = new Date();
  const { project } = file;
  await lockProjects(tx);
  await refuseTaken(tx, file);
  const all: AppliedChange[] = [await applyProject(tx, project, at)];
  for (const batch of file.batches) {
    const rows = await tx.query<WrittenRow>(writeExperiences, [batch, project.id, at]);
    for (const { id, change, revision, new_revision } of rows) {
      const newRevision = new_revision ? { newRevision: true } : {};
      all.push({ kind: 'experience', id, change, revision, ...newRevision });
    }
  }
  return { projectId: project.id, changed: all.some((c) => c.change !== 'unchanged'), changes: all };
}

async function applyProject(tx: Transaction, project: Project, at: Date): Promise<AppliedChange> {
  const before = await findProject(tx, project.id);
  const isSame = canonicalJson(before) === canonicalJson(project);
  const change = before === undefined ? 'created' : isSame ? 'unchanged' : 'updated';
  if (change !== 'unchanged') await upsertProject(tx, project, at);
  return { kind: 'project', id: project.id, change };
}

async function refuseTaken(tx: Transaction, file: PreparedFile): Promise<void> {
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
