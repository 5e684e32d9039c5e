import { projectScreens } from '../screens/screens.tsx';
import { projects } from '../state/projects.ts';
import { hashOf, route } from '../state/route.ts';
import type { Target } from '../state/screen.ts';

/** The projects, and the screens of the current project with what they contain. */
export async function loadTargets(): Promise<Target[]> {
  const { projectId = projects.value?.[0]?.projectId } = route.value;
  const ofProjects = (projects.value ?? []).map(({ projectId, name }) => ({
    title: name,
    id: projectId,
    href: hashOf([projectId, 'overview']),
  }));
  if (projectId === undefined) return ofProjects;
  const ofScreens = projectScreens.map(({ address, title }) => ({
    title,
    id: address,
    href: hashOf([projectId, address]),
  }));
  const loaded = projectScreens.map(
    async ({ targets }) => (await targets?.(projectId).catch(() => [])) ?? [],
  );
  return [...ofScreens, ...(await Promise.all(loaded)).flat(), ...ofProjects];
}
