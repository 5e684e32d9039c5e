import { checkOriginOperation } from '@session-launch/contract/admin/origins';
import type { FastifyInstance } from 'fastify';
import { sees } from '../audit/actor.ts';
import { findPageSettings } from '../origins/allowlists.ts';
import { checkOrigin } from '../origins/check.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { AdminDeps } from './deps.ts';
import { mount } from './mount.ts';

export async function originRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  mount(app, checkOriginOperation, async ({ body, actor }) => {
    const { projectId, experienceId, origin } = body;
    if (!isId('prj', projectId) || !sees(actor, projectId)) throw new ApiError('PROJECT_NOT_FOUND');
    if (experienceId !== undefined && !isId('exp', experienceId)) throw new ApiError('EXPERIENCE_NOT_FOUND');
    const settings = await findPageSettings(deps.database, projectId, experienceId);
    if (settings === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    if (experienceId !== undefined && settings.experience === undefined)
      throw new ApiError('EXPERIENCE_NOT_FOUND');
    const checked = checkOrigin(origin, { ...settings, isOwnPage: (own) => deps.isOwnPage(projectId, own) });
    const { normalised, doors } = checked;
    if (experienceId === undefined || normalised === undefined) return checked;
    const now = await deps.availabilityAt(experienceId, normalised);
    return {
      ...checked,
      doors: {
        browser: { ...doors.browser, now: now.browser },
        public: { ...doors.public, now: now.public },
      },
    };
  });
}
