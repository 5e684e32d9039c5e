import type { ExperienceState, Publication } from '@session-launch/contract/admin/experience-schemas';
import { request } from '../api/client.ts';

export type StatusChange = 'publish' | 'unpublish' | 'archive';

/** Changes the status of this version of an experience. `publication` is used only to publish. */
export function requestStatus(
  experienceId: string,
  change: StatusChange,
  version: number,
  publication: Publication = {},
): Promise<ExperienceState> {
  const params = { experienceId };
  if (change !== 'publish')
    return request(`POST /admin/experiences/{experienceId}/${change}`, { params, version });
  const body = publication;
  return request('POST /admin/experiences/{experienceId}/publish', { params, version, body });
}
