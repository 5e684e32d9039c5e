import { readFile } from 'node:fs/promises';
import { scopes } from '@session-launch/contract/operation';
import type { Logger } from 'pino';
import { listPublished } from '../content/experiences.ts';
import { findStoredProject, lockProjects } from '../content/projects.ts';
import { ProjectFileError } from '../documents/problem.ts';
import { type ProjectFile, parseProjectFile } from '../documents/project-file.ts';
import { applyInTransaction } from '../editing/apply.ts';
import { createKey } from '../keys/create.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { demoProjectId } from '../web/pages/demo-cards.ts';

export interface Demo {
  projectId: string;
  experienceId: string;
  /** Present only if this start created the project: a key is shown once. */
  key?: string;
}

/**
 * Creates the demo project and a test key if the project does not exist. An existing one is left unchanged. If the project cannot be created,
 * such as when another project has one of its experience ids, logs a warning and returns `undefined`.
 */
export async function provisionDemo(deps: DemoDeps, file: string): Promise<Demo | undefined> {
  // Most starts find the project and skip reading the file, which takes half a second.
  const [stored] = await listPublished(deps.database, demoProjectId);
  if (stored !== undefined) return { projectId: demoProjectId, experienceId: stored.id };
  try {
    const demo = parseProjectFile(await readFile(file, 'utf8'));
    const { id: projectId } = demo.project;
    const key = await provision(deps, demo);
    return { projectId, experienceId: firstLaunchable(demo), ...(key === undefined ? {} : { key }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!(error instanceof ProjectFileError) && code !== 'ENOENT') throw error;
    deps.log.warn(
      { reason: (error as Error).message },
      'the demo project cannot be set up, and the service runs without it; set DEMO=off to omit it',
    );
    return undefined;
  }
}

interface DemoDeps {
  database: Database;
  changes: Changes;
  apiKeyPrefix: string;
  log: Logger;
}

/** The new key, or `undefined` if the project already existed. */
async function provision(deps: DemoDeps, demo: ProjectFile): Promise<string | undefined> {
  const { id: projectId } = demo.project;
  return deps.changes.commit(async (tx, changed) => {
    await lockProjects(tx);
    if (await findStoredProject(tx, projectId)) return undefined;
    changed({ kind: 'project', id: projectId });
    await applyInTransaction(tx, demo, { at: new Date(), by: 'file', source: 'demo.yaml' });
    const made = await createKey(tx, deps.apiKeyPrefix, projectId, {
      mode: 'test',
      scopes: [...scopes],
      name: 'Demo key of the first start',
    });
    return made.key;
  });
}

function firstLaunchable(file: ProjectFile): string {
  const [first] = file.experiences.toSorted((a, b) => a.sortOrder - b.sortOrder);
  if (first === undefined) throw new Error('the demo project has no experiences');
  return first.id;
}
