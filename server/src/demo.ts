import { readFile } from 'node:fs/promises';
import { createKey } from './keys/create.ts';
import { scopes } from './keys/store.ts';
import { applyInside } from './projects/apply.ts';
import { type ProjectFile, parseProjectFile } from './projects/project-file.ts';
import { lockProject } from './projects/store.ts';
import type { Changes } from './store/changes.ts';
import type { Database } from './store/database.ts';

export interface Demo {
  projectId: string;
  experienceId: string;
  /** Only when this start made the project: a key is shown once. */
  key?: string;
}

/** Provisions the demo project where it does not exist yet, with a test key. An existing one is left as it is. */
export async function provisionDemo(
  deps: { database: Database; changes: Changes; apiKeyPrefix: string },
  file: string,
): Promise<Demo> {
  const demo = parseProjectFile(await readFile(file, 'utf8'));
  const { id: projectId } = demo.project;
  const experienceId = firstLaunchable(demo);
  const key = await deps.database.transaction(async (tx) => {
    if (await lockProject(tx, projectId)) return undefined;
    await applyInside(tx, deps.changes, demo);
    const made = await createKey(tx, deps.changes, deps.apiKeyPrefix, {
      projectId,
      mode: 'test',
      scopes,
      name: 'Demo key of the first start',
    });
    return made.key;
  });
  deps.changes.apply({ kind: 'project', id: projectId });
  return { projectId, experienceId, ...(key === undefined ? {} : { key }) };
}

function firstLaunchable(file: ProjectFile): string {
  const [first] = file.experiences.toSorted((a, b) => a.sortOrder - b.sortOrder);
  if (first === undefined) throw new Error('the demo project has no experiences');
  return first.id;
}
