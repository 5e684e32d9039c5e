import { listSessionsOperation } from '@session-launch/contract/admin/sessions';
import type { FastifyInstance } from 'fastify';
import { sessionRecord } from '../sessions/session.ts';
import { listSessions } from '../sessions/store.ts';
import type { AdminDeps } from './deps.ts';
import { knownProject } from './known-project.ts';
import { mount } from './mount.ts';
import { pageAndFilter } from './requests.ts';

export async function sessionAdminRoutes(app: FastifyInstance, { database }: AdminDeps): Promise<void> {
  mount(app, listSessionsOperation, async ({ params, query }) => {
    const projectId = await knownProject(database, params.projectId);
    const { limit, cursor, ...filter } = pageAndFilter(query);
    const at = new Date();
    const found = await listSessions(database, projectId, filter, { limit: limit + 1, before: cursor, at });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map((session) => sessionRecord(session, at)),
      ...(found.length > limit && last ? { nextCursor: last.id } : {}),
    };
  });
}
