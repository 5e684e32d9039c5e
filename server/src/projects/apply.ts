import type { Applied, AppliedChange } from '@session-launch/contract/admin/projects';
import { canonicalJson } from '../canonical-json.ts';
import type { Changes } from '../store/changes.ts';
import type { Orm } from '../store/database.ts';
import { findTaken, writePiece } from './apply-statements.ts';
import { prepareBytes } from './file-tasks.ts';
import { type PreparedFile, prepare } from './prepared-file.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import type { Project, ProjectFile, ProjectFileFormat } from './project-file.ts';
import { serialQueue } from './serial-queue.ts';
import { fileProject, findProject, lockProjects, upsertProject } from './store.ts';

/** While another file is applied. Each that waits is up to 4 MiB of memory. */
const bounds = { maxWaiting: 16, maxWaitMs: 30_000 };

/**
 * Applies files one at a time. Several large ones at once would only take memory and connections from mints: the
 * database lets one through at a time anyway.
 */
export function openApply(deps: {
  changes: Changes;
}): (bytes: Uint8Array, format: ProjectFileFormat) => Promise<Applied> {
  const inTurn = serialQueue(bounds);
  return (bytes, format) => inTurn(() => applyBytes(deps, bytes, format));
}

/** Makes the stored project as the file says, all of it or nothing. What the file leaves out is left alone. */
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

/** The same inside a transaction that does more. */
export function applyInside(tx: Orm, file: ProjectFile): Promise<Applied> {
  return applyPrepared(tx, prepare(file));
}

async function applyPrepared(tx: Orm, file: PreparedFile): Promise<Applied> {
  const at = new Date();
  const { project } = file;
  await lockProjects(tx);
  await refuseTaken(tx, file);
  const all: AppliedChange[] = [await applyProject(tx, project, at)];
  for (const piece of file.pieces) {
    for (const { id, change, revision, new_revision } of await writePiece(tx, project.id, piece, at)) {
      const newRevision = new_revision ? { newRevision: true } : {};
      all.push({ kind: 'experience', id, change, revision, ...newRevision });
    }
  }
  return { projectId: project.id, changed: all.some((c) => c.change !== 'unchanged'), changes: all };
}

async function applyProject(tx: Orm, project: Project, at: Date): Promise<AppliedChange> {
  const before = await findProject(tx, project.id);
  const change =
    before === undefined ? 'created' : same(fileProject(before), project) ? 'unchanged' : 'updated';
  if (change !== 'unchanged') await upsertProject(tx, project, at);
  return { kind: 'project', id: project.id, change };
}

/** Whether two values say the same; the order in which a creator wrote fields does not count. */
function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

async function refuseTaken(tx: Orm, file: PreparedFile): Promise<void> {
  const taken = await findTaken(tx, file.project.id, file.names);
  const problems = taken.flatMap(({ place, id, slug, is_foreign, holder }): ProjectFileProblem[] => [
    ...(is_foreign
      ? [
          {
            path: `experiences[${place}].id`,
            message: `"${id}" belongs to another project; choose another id`,
          },
        ]
      : []),
    ...(holder === null
      ? []
      : [
          {
            path: `experiences[${place}].slug`,
            message: `"${slug}" is the slug of ${holder}, which this file leaves alone; choose another slug, or change that one in the same file`,
          },
        ]),
  ]);
  if (problems.length > 0) throw new ProjectFileError(problems);
}
