import type { ProjectSettings } from '@session-launch/contract/admin/project-settings';
import type { WrittenProjectFile } from '@session-launch/contract/project-file/schema';
import { isConflict, request, requestVersioned } from '../api/client.ts';

/** A project as the service returns it, with every setting. */
export type Project = Required<WrittenProjectFile['project']>;

/** The settings of a project, with their version. */
export async function readProject(projectId: string): Promise<{ project: Project; version: number }> {
  const { body, version } = await requestVersioned('GET /admin/projects/{projectId}', {
    params: { projectId },
    query: { format: 'json' },
  });
  return { project: body.project as Project, version };
}

/**
 * Changes settings of a project. If another operator changed it at the same time, `change` is called again with the new state, so it must
 * not overwrite what it finds there: it adds or removes one entry, or returns `undefined` to change nothing.
 */
export async function changeProject(
  projectId: string,
  change: (project: Project) => ProjectSettings | undefined,
): Promise<void> {
  await repeatOnConflict(async () => {
    const { project, version } = await readProject(projectId);
    const body = change(project);
    if (body !== undefined)
      await request('PATCH /admin/projects/{projectId}', { params: { projectId }, version, body });
  });
}

/** Changes settings of an experience, which are live at once, in the same way. */
export async function changeExperience(
  experienceId: string,
  change: (experience: { allowedOrigins?: string[] }) => object,
): Promise<void> {
  await repeatOnConflict(async () => {
    const params = { experienceId };
    const { experience, version } = await request('GET /admin/experiences/{experienceId}', { params });
    await request('PUT /admin/experiences/{experienceId}', {
      params,
      version,
      body: { experience: { ...experience, ...change(experience) } },
    });
  });
}

async function repeatOnConflict(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === 3) throw error;
    }
  }
}
