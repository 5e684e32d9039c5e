import {
  applyOperation,
  exportOperation,
  listProjectsOperation,
} from '@session-launch/contract/admin/projects';
import type { FastifyInstance } from 'fastify';
import { bytesOf } from '../http/bodies/buffered-body.ts';
import { ApiError } from '../primitives/errors.ts';
import { openApply } from '../projects/apply.ts';
import { openExport } from '../projects/export.ts';
import { ProjectFileError } from '../projects/problem.ts';
import { listProjects } from '../projects/store.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';

/** The timeout of the command line. */
const applyTimeout = 120_000;

export async function projectAdminRoutes(
  app: FastifyInstance,
  { database, changes }: AdminDeps,
): Promise<void> {
  const apply = openApply(changes);
  const exportFile = openExport(database);
  mount(app, listProjectsOperation, async () => ({ projects: await listProjects(database) }));
  mount(app, applyOperation, async ({ request }) => {
    // A large file may be queued behind another one, and takes long to apply.
    request.raw.setTimeout(applyTimeout);
    const format = /json/i.test(request.headers['content-type'] ?? '') ? 'json' : 'yaml';
    try {
      return await apply(bytesOf(request), format);
    } catch (error) {
      if (!(error instanceof ProjectFileError)) throw error;
      throw new ApiError('PROJECT_FILE_INVALID', {
        message: error.message,
        details: error.problems,
        cause: error,
      });
    }
  });
  mount(app, exportOperation, async ({ params, request, reply }) => {
    const format = /yaml/i.test(request.headers.accept ?? '') ? 'yaml' : 'json';
    const file = await exportFile(await knownProject(database, params.projectId), format);
    if (file === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    return reply.type(`application/${format}; charset=utf-8`).send(file);
  });
}
