import { isUtf8 } from 'node:buffer';
import {
  type Applied,
  applyOperation,
  exportOperation,
  listProjectsOperation,
  type ProjectList,
} from '@session-launch/contract/admin/projects';
import { routePath } from '@session-launch/contract/operation';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { applyProjectFile } from '../projects/apply.ts';
import { ProjectFileError } from '../projects/problem.ts';
import { parseProjectFile, serialiseProjectFile } from '../projects/project-file.ts';
import { listProjects, readProjectFile } from '../projects/store.ts';
import type { Changes } from '../store/changes.ts';
import type { Database } from '../store/database.ts';
import { knownProject, type ProjectRoute } from './known-project.ts';

export interface ProjectAdminDeps {
  database: Database;
  changes: Changes;
}

export async function projectAdminRoutes(
  app: FastifyInstance,
  { database, changes }: ProjectAdminDeps,
): Promise<void> {
  const { admin: orm } = database;
  app.get(
    listProjectsOperation.path,
    async (): Promise<ProjectList> => ({
      projects: (await listProjects(orm)).map((row) => ({
        projectId: row.id,
        name: row.name,
        browserEmbeds: row.browserEmbeds,
        experiences: row.experiences,
      })),
    }),
  );
  app.post(applyOperation.path, async (request): Promise<Applied> => {
    const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const format = /json/i.test(request.headers['content-type'] ?? '') ? 'json' : 'yaml';
    try {
      return await applyProjectFile({ changes }, parseProjectFile(readText(bytes), format));
    } catch (error) {
      if (!(error instanceof ProjectFileError)) throw error;
      throw new ApiError('PROJECT_FILE_INVALID', {
        message: error.message,
        details: error.problems,
        cause: error,
      });
    }
  });
  refuseOtherMethods(app, applyOperation.path, ['GET', 'POST']);

  const exportPath = routePath(exportOperation);
  app.get<ProjectRoute>(exportPath, async (request, reply) => {
    const file = await readProjectFile(database, await knownProject(orm, request.params.projectId));
    if (file === undefined) throw new ApiError('PROJECT_NOT_FOUND');
    const format = /yaml/i.test(request.headers.accept ?? '') ? 'yaml' : 'json';
    return reply.type(`application/${format}; charset=utf-8`).send(serialiseProjectFile(file, format));
  });
  refuseOtherMethods(app, exportPath, ['GET']);
}

function readText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new ProjectFileError([{ path: '', message: 'is not UTF-8 text; save it as UTF-8' }]);
}
