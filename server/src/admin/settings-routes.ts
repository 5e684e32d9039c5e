import {
  deleteProjectOperation,
  updateProjectOperation,
} from '@session-launch/contract/admin/project-settings';
import type { FastifyInstance } from 'fastify';
import { checkSettings } from '../editing/check-experience.ts';
import { deleteProject } from '../editing/delete-project.ts';
import { updateSettings } from '../editing/settings.ts';
import { invalidRequest } from '../primitives/errors.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { requesterOf } from './requester.ts';
import { giveVersion } from './version-tag.ts';

export async function settingsAdminRoutes(
  app: FastifyInstance,
  { database, commit, documents }: AdminDeps,
): Promise<void> {
  mount(app, updateProjectOperation, async (call) => {
    const projectId = await knownProject(database, call.params.projectId);
    const settings = await checkSettings(documents, requesterOf(call), call.body);
    const updated = await commit(call, (tx, write) =>
      updateSettings(tx, write, call, projectId, call.version, settings),
    );
    giveVersion(call.reply, updated.version);
    return updated;
  });
  mount(app, deleteProjectOperation, async (call) => {
    const projectId = await knownProject(database, call.params.projectId);
    if (call.query.confirm !== projectId)
      throw invalidRequest([{ path: 'confirm', message: 'must be the id of the project' }]);
    await commit(call, (tx, write) => deleteProject(tx, write, call, projectId));
    return undefined;
  });
}
