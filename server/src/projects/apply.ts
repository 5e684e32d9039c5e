import type { Applied, AppliedChange } from '@session-launch/contract/admin/projects';
import canonicalize from 'canonicalize';
import type { Changes } from '../store/changes.ts';
import type { Orm } from '../store/database.ts';
import { ProjectFileError, type ProjectFileProblem } from './problem.ts';
import type { Experience, ProjectFile } from './project-file.ts';
import {
  fileExperience,
  fileProject,
  findProject,
  insertRevisions,
  lockProjects,
  ownedElsewhere,
  type StoredExperience,
  storedExperiences,
  upsertExperiences,
  upsertProject,
} from './store.ts';

/** Makes the stored project as the file says, all of it or nothing. What the file leaves out is left alone. */
export async function applyProjectFile(
  { changes }: { changes: Changes },
  file: ProjectFile,
): Promise<Applied> {
  return changes.commit(async (tx, changed) => {
    changed({ kind: 'project', id: file.project.id });
    return applyInside(tx, file);
  });
}

/** The same inside a transaction that does more. */
export async function applyInside(tx: Orm, file: ProjectFile): Promise<Applied> {
  const at = new Date();
  const { project } = file;
  await lockProjects(tx);
  const before = await findProject(tx, project.id);
  const stored = new Map((before ? await storedExperiences(tx, project.id) : []).map((row) => [row.id, row]));
  await refuseTaken(tx, file, stored);

  const projectChange =
    before === undefined ? 'created' : same(fileProject(before), project) ? 'unchanged' : 'updated';
  if (projectChange !== 'unchanged') await upsertProject(tx, project, at);
  const planned = file.experiences.map((experience) => ({
    experience,
    ...plan(experience, stored.get(experience.id)),
  }));
  const touched = planned.filter(({ applied }) => applied.change !== 'unchanged');
  await upsertExperiences(tx, project.id, touched, at);
  await insertRevisions(
    tx,
    touched.filter(({ applied }) => applied.newRevision),
    at,
  );
  const all: AppliedChange[] = [
    { kind: 'project', id: project.id, change: projectChange },
    ...planned.map(({ applied }) => applied),
  ];
  return { projectId: project.id, changed: all.some((c) => c.change !== 'unchanged'), changes: all };
}

/** What the file does to an experience, by comparing it with what is stored. */
function plan(
  experience: Experience,
  before: StoredExperience | undefined,
): { revision: number; applied: AppliedChange } {
  const newRevision = before === undefined || !same(frozen(fileExperience(before)), frozen(experience));
  const revision = (before?.latestRevision ?? 0) + (newRevision ? 1 : 0);
  const change =
    before === undefined ? 'created' : same(fileExperience(before), experience) ? 'unchanged' : 'updated';
  const { id } = experience;
  return {
    revision,
    applied: { kind: 'experience', id, change, revision, ...(newRevision ? { newRevision } : {}) },
  };
}

/** What a revision freezes: when any of it changes, the next launches need a new one. */
function frozen({ slug, title, runtime }: Experience): object {
  return { slug, title, runtime };
}

/** Whether two values say the same; the order in which a creator wrote fields does not count. */
function same(a: unknown, b: unknown): boolean {
  return canonicalize(a) === canonicalize(b);
}

/** Ids are global and slugs belong to one experience of a project, in the file or not. */
async function refuseTaken(
  tx: Orm,
  file: ProjectFile,
  stored: ReadonlyMap<string, StoredExperience>,
): Promise<void> {
  const ids = new Set(file.experiences.map((experience) => experience.id));
  const foreign = new Set(await ownedElsewhere(tx, file.project.id, [...ids]));
  const kept = [...stored.values()].filter((row) => !ids.has(row.id));
  const problems: ProjectFileProblem[] = [];
  for (const [index, { id, slug }] of file.experiences.entries()) {
    if (foreign.has(id)) {
      problems.push({
        path: `experiences[${index}].id`,
        message: `"${id}" belongs to another project; choose another id`,
      });
    }
    const holder = kept.find((row) => row.slug === slug);
    if (holder) {
      problems.push({
        path: `experiences[${index}].slug`,
        message: `"${slug}" is the slug of ${holder.id}, which this file leaves alone; choose another slug, or change that one in the same file`,
      });
    }
  }
  if (problems.length > 0) throw new ProjectFileError(problems);
}
