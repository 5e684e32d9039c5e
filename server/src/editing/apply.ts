import type { Applied, AppliedChange, Overwritten, Planned } from '@session-launch/contract/admin/apply';
import type { FieldChange, VersionConflict } from '@session-launch/contract/admin/changes';
import { sees } from '../audit/actor.ts';
import type { Authored, Commit, Write } from '../audit/commit.ts';
import { requireVersion } from '../audit/conflict.ts';
import {
  findStoredProject,
  lockProjects,
  type Stamp,
  type StoredProject,
  upsertProject,
} from '../content/projects.ts';
import type { DocumentThread } from '../documents/document-thread.ts';
import { FairQueue, type Requester } from '../documents/fair-queue.ts';
import { type PreparedFile, prepare } from '../documents/prepared-file.ts';
import { ProjectFileError } from '../documents/problem.ts';
import { type ProjectFile, type ProjectFileFormat, withoutNulls } from '../documents/project-file.ts';
import { ApiError } from '../primitives/errors.ts';
import { fieldChanges } from '../primitives/field-changes.ts';
import type { Transaction } from '../store/database.ts';
import { adoptExperiences, type WrittenRow, writeExperiences } from './apply-statements.ts';
import { refuseDraftSlugs, refuseTaken } from './name-conflicts.ts';
import { findOverwritten } from './overwritten.ts';

export interface ApplyRequest {
  requester: Requester;
  bytes: Uint8Array;
  format: ProjectFileFormat;
  /** Returns what the file would change, without changing it. */
  isPlan: boolean;
  /** The label of the file. */
  source: string | undefined;
  /** The version that the project must have; 0: it must not exist. */
  expect: number | undefined;
}

/**
 * Applies files one at a time. Parallel requests would only take memory and connections from mints, because
 * `lockProjects` serialises them in the database anyway.
 */
export function openApply(
  commit: Commit,
  documents: DocumentThread,
): (authored: Authored, request: ApplyRequest) => Promise<Applied | Planned> {
  const queue = new FairQueue();
  return async ({ actor, action }, { requester, bytes, format, isPlan, source, expect }) => {
    const file = await documents.prepare(requester, bytes, format);
    if (!sees(actor, file.project.id)) throw new ApiError('PROJECT_NOT_FOUND');
    return queue.run(requester, async () => {
      const stamp = { at: new Date(), by: actor.name, source };
      const authored = { actor: { ...actor, via: 'file' as const }, action };
      try {
        return await commit(authored, async (tx, write) => {
          const outcome = await applyPrepared(tx, file, stamp, expect);
          if (isPlan) throw new RollBack(outcome.planned);
          record(write, outcome);
          return outcome.applied;
        });
      } catch (error) {
        if (error instanceof RollBack) return error.planned;
        throw error;
      }
    });
  };
}

/** Applies a file in the transaction of the caller. */
export async function applyInTransaction(tx: Transaction, file: ProjectFile, stamp: Stamp): Promise<Applied> {
  return (await applyPrepared(tx, prepare(file), stamp, undefined)).applied;
}

/** Thrown to undo the transaction of a plan. */
class RollBack extends Error {
  readonly planned: Planned;

  constructor(planned: Planned) {
    super('a plan is never committed');
    this.planned = planned;
  }
}

/** The change of an experience, for the audit. */
interface Recorded {
  id: string;
  version: number | undefined;
  changes: FieldChange[];
}

interface Outcome {
  applied: Applied;
  planned: Planned;
  /** Absent: neither its settings nor its list of experiences changed. */
  project?: Recorded;
  experiences: Recorded[];
  /** Experiences that operators had changed to what the file contains. */
  adopted: string[];
}

function record(write: Write, { applied, project, experiences, adopted }: Outcome): void {
  const { projectId, version } = applied;
  for (const target of adopted) write.audit({ action: 'experience.apply', projectId, target });
  if (!applied.changed) return;
  write.changed({ kind: 'project', id: projectId, version });
  if (project !== undefined) write.audit({ projectId, target: projectId, version, changes: project.changes });
  for (const { id, version, changes } of experiences)
    write.audit({ action: 'experience.apply', projectId, target: id, version, changes });
}

/** Creates or updates a project. Experiences that the file does not list stay unchanged. */
async function applyPrepared(
  tx: Transaction,
  file: PreparedFile,
  stamp: Stamp,
  expect: number | undefined,
): Promise<Outcome> {
  const { project } = file;
  await lockProjects(tx);
  const stored = await findStoredProject(tx, project.id);
  if (stored?.isDeleted) throw beingDeleted(project.id);
  if (expect !== undefined) await requireExpected(tx, project.id, expect, stored);
  await refuseTaken(tx, file);
  const isNew = stored === undefined;
  // Not always 1: the versions of a deleted project with this id are continued.
  const created = isNew ? await upsertProject(tx, project, stamp, false) : undefined;

  const settings = isNew ? [{ path: '', after: project }] : fieldChanges(stored.project, project);
  const written = await writeBatches(tx, file, stamp);
  await refuseDraftSlugs(tx, file, written.pending);
  const unchanged = written.applied.flatMap(({ id, change }) => (change === 'unchanged' ? [id] : []));
  const adopted = await tx.query<{ id: string }>(adoptExperiences, [unchanged, stamp.source ?? null]);
  const ofTheProject = [...settings, ...written.listing];
  const overwrote = [
    // The listing, because an operator may have deleted an experience that the file creates again.
    ...(isNew ? [] : await findOverwritten(tx, [{ id: project.id, changes: ofTheProject }])),
    ...written.overwrote,
  ];
  const present = stored?.version ?? 0;
  const changes = [...settings.map(under('project')), ...written.changes];
  if (expect !== undefined) refuseOverwriting(overwrote, changes, present);

  const isListedAnew = ofTheProject.length > 0;
  const changed = isListedAnew || written.experiences.length > 0;
  const version = created ?? (changed ? await upsertProject(tx, project, stamp, isListedAnew) : present);
  const change = isNew ? 'created' : settings.length > 0 ? 'updated' : 'unchanged';
  return {
    applied: {
      projectId: project.id,
      changed,
      version,
      changes: [{ kind: 'project', id: project.id, change }, ...written.applied],
      pendingDrafts: written.pending.map(({ id, revision }) => ({ experienceId: id, revision })),
      overwrote,
    },
    planned: {
      projectId: project.id,
      version: present,
      changes,
      newRevisions: written.newRevisions,
      overwrote,
    },
    ...(isListedAnew ? { project: { id: project.id, version, changes: ofTheProject } } : {}),
    experiences: written.experiences,
    adopted: adopted.map(({ id }) => id),
  };
}

interface Written {
  applied: AppliedChange[];
  /** Changes with paths inside the project. */
  changes: FieldChange[];
  /** Those of them that change the order or the list of experiences. */
  listing: FieldChange[];
  newRevisions: Planned['newRevisions'];
  pending: { id: string; revision: number }[];
  overwrote: Overwritten[];
  experiences: Recorded[];
}

async function writeBatches(
  tx: Transaction,
  file: PreparedFile,
  { at, by, source }: Stamp,
): Promise<Written> {
  const all: Written = {
    applied: [],
    changes: [],
    listing: [],
    newRevisions: [],
    pending: [],
    overwrote: [],
    experiences: [],
  };
  for (const batch of file.batches) {
    const values = [batch, file.project.id, at, by, source ?? null];
    const rows = await tx.query<WrittenRow>(writeExperiences, values);
    const updated: { id: string; experienceId: string; changes: FieldChange[] }[] = [];
    for (const row of rows) {
      const { id, change, revision, version } = row;
      const newRevision = row.new_revision ? { newRevision: true } : {};
      all.applied.push({ kind: 'experience', id, change, revision, ...newRevision });
      if (row.new_revision) all.newRevisions.push({ experienceId: id, revision, publishes: row.publishes });
      if (row.pending !== null) all.pending.push({ id, revision: row.pending });
      if (change === 'unchanged') continue;
      const changes = changesOf(row);
      const inProject = changes.map(under(`experiences[${id}]`));
      all.changes.push(...inProject);
      if (row.is_listed_anew) all.listing.push(...inProject.filter(({ path }) => listing.test(path)));
      all.experiences.push({ id, version: version ?? undefined, changes });
      if (change === 'updated') updated.push({ id, experienceId: id, changes });
    }
    all.overwrote.push(...(await findOverwritten(tx, updated)));
  }
  return all;
}

/** Paths of created experiences and of positions. */
const listing = /\](?:\.sortOrder)?$/;

function changesOf({ before, after, summary }: WrittenRow): FieldChange[] {
  if (before === null || after === null) return [{ path: '', after: summary }];
  return fieldChanges(withoutNulls(before), withoutNulls(after));
}

/** Changes of a document as changes of the document that contains it. */
function under(parent: string): (change: FieldChange) => FieldChange {
  return (change) => ({ ...change, path: change.path === '' ? parent : `${parent}.${change.path}` });
}

function beingDeleted(projectId: string): ProjectFileError {
  const message = `"${projectId}" is being deleted; apply the file again when that has finished, or choose another id`;
  return new ProjectFileError([{ path: 'project.id', message }]);
}

async function requireExpected(
  tx: Transaction,
  projectId: string,
  expect: number,
  stored: StoredProject | undefined,
): Promise<void> {
  if (stored !== undefined) await requireVersion(tx, projectId, expect, stored);
  else if (expect !== 0) throw new ApiError('PROJECT_NOT_FOUND');
}

/** Throws 412 if a file would overwrite what operators have changed. */
function refuseOverwriting(
  overwrote: readonly Overwritten[],
  changes: readonly FieldChange[],
  version: number,
): void {
  const [first] = overwrote;
  if (first === undefined) return;
  const pathOf = ({ experienceId, path }: Overwritten) =>
    experienceId === undefined ? `project.${path}` : `experiences[${experienceId}].${path}`;
  const paths = new Set(overwrote.map(pathOf));
  const { by, at } = first;
  const details: VersionConflict = {
    version,
    by,
    at,
    changes: changes.filter(({ path }) => paths.has(path)),
  };
  throw new ApiError('VERSION_CONFLICT', {
    message: `${by} has changed ${pathOf(first)} since a file last changed it. This file would overwrite that.`,
    details,
  });
}
