import { signal } from '@preact/signals';
import type { ProjectList } from '@session-launch/contract/admin/projects';
import { request } from '../api/client.ts';

export const projects = signal<ProjectList['projects'] | undefined>(undefined);

export async function loadProjects(): Promise<void> {
  projects.value = (await request('GET /admin/projects')).projects;
}
