import { listSessionsOperation } from '@session-launch/contract/admin/sessions';
import { routePath } from '@session-launch/contract/operation';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { sessionRecord } from '../sessions/session.ts';
import { listSessions } from '../sessions/store.ts';
import type { Database } from '../store/database.ts';
import { knownProject, type ProjectRoute } from './known-project.ts';
import { readSessionQuery } from './requests.ts';

export interface SessionAdminDeps {
  database: Database;
}

export async function sessionAdminRoutes(
  app: FastifyInstance,
  { database }: SessionAdminDeps,
): Promise<void> {
  const path = routePath(listSessionsOperation);
  app.get<ProjectRoute>(path, async (request) => {
    const projectId = await knownProject(database, request.params.projectId);
    const { limit, cursor, ...filter } = readSessionQuery(request.query);
    const at = new Date();
    const found = await listSessions(database, projectId, filter, { limit: limit + 1, before: cursor, at });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map((session) => sessionRecord(session, at)),
      ...(found.length > limit && last ? { nextCursor: last.id } : {}),
    };
  });
  refuseOtherMethods(app, path, ['GET']);
}
