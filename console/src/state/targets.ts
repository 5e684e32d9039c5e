import { request } from '../api/client.ts';
import { texts } from '../texts/texts.ts';
import { projects } from './projects.ts';
import { hashOf, projectScreens, route } from './route.ts';

/** Something that can be jumped to. */
export interface Target {
  title: string;
  id: string;
  href: string;
}

/** The projects, and the screens and experiences of the current project. */
export async function loadTargets(): Promise<Target[]> {
  const { projectId = projects.value?.[0]?.projectId } = route.value;
  const ofProjects = (projects.value ?? []).map(({ projectId, name }) => ({
    title: name,
    id: projectId,
    href: hashOf([projectId, 'overview']),
  }));
  if (projectId === undefined) return ofProjects;
  const ofScreens = projectScreens.map((screen) => ({
    title: texts.navigation[screen],
    id: screen,
    href: hashOf([projectId, screen]),
  }));
  const { experiences } = await request('GET /admin/projects/{projectId}/experiences', {
    params: { projectId },
  }).catch(() => ({ experiences: [] }));
  const ofExperiences = experiences.map(({ experienceId, title }) => ({
    title,
    id: experienceId,
    href: hashOf([projectId, 'experiences', experienceId]),
  }));
  return [...ofScreens, ...ofExperiences, ...ofProjects];
}
