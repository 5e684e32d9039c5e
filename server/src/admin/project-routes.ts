import { applyOperation } from '@session-launch/contract/admin/apply';
import { exportOperation, listProjectsOperation } from '@session-launch/contract/admin/projects';
import type { FastifyInstance } from 'fastify';
import { listProjects } from '../content/projects.ts';
import { ProjectFileError } from '../documents/problem.ts';
import { openApply } from '../editing/apply.ts';
import { openExport } from '../editing/export.ts';
import { bytesOf } from '../http/bodies/buffered-body.ts';
import { ApiError } from '../primitives/errors.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { requesterOf } from './requester.ts';
import { giveVersion } from './version-tag.ts';

/** Socket timeout in milliseconds while a file is applied; equal to the timeout of the command line. */
const applyTimeout = 120_000;

export async function projectAdminRoutes(
  app: FastifyInstance,
  { database, commit, documents }: AdminDeps,
): Promise<void> {
  const apply = openApply(commit, documents);
  const exportFile = openExport(database, documents);
  mount(app, listProjectsOperation, async ({ actor }) => ({
    projects: await listProjects(database, actor.projectIds),
  }));
  mount(app, applyOperation, async (call) => {
    const { request, query } = call;
    // A large file may be queued behind another one, and takes long to apply.
    request.raw.setTimeout(applyTimeout);
    const format = /json/i.test(request.headers['content-type'] ?? '') ? 'json' : 'yaml';
    try {
      return await apply(call, {
        requester: requesterOf(call),
        bytes: bytesOf(request),
        format,
        isPlan: query.plan === 'true',
        source: query.source,
        expect: query.expect === undefined ? undefined : Number(query.expect),
      });
    } catch (error) {
      if (!(error instanceof ProjectFileError)) throw error;
      throw new ApiError('PROJECT_FILE_INVALID', {
        message: error.message,
        details: error.problems,
        cause: error,
      });
    }
  });
  mount(app, exportOperation, async (call) => {
    const { params, query, request, reply } = call;
    const accepted = /yaml/i.test(request.headers.accept ?? '') ? 'yaml' : 'json';
    const format = query.format ?? accepted;
    const file = await exportFile(requesterOf(call), await knownProject(database, params.projectId), format);
    if (file === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    giveVersion(reply, file.version);
    return reply.type(`application/${format}; charset=utf-8`).send(file.text);
  });
}
