import type { FastifyInstance } from 'fastify';
import { bufferBodies } from '../http/bodies/buffered-body.ts';
import { protectRoutes } from '../http/guards/bearer.ts';
import type { AdminDeps } from './deps.ts';
import { keyAdminRoutes } from './key-routes.ts';
import { projectAdminRoutes } from './project-routes.ts';
import { sessionAdminRoutes } from './session-routes.ts';
import { statusRoutes } from './status-routes.ts';

const projectFileMiB = 4;

/** The admin API except `/metrics`. Every route requires the admin token. */
export async function adminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  protectRoutes(app, deps.token, 'ADMIN_TOKEN_INVALID');
  bufferBodies(app, projectFileMiB);
  await app.register(projectAdminRoutes, deps);
  await app.register(keyAdminRoutes, deps);
  await app.register(sessionAdminRoutes, deps);
  await app.register(statusRoutes, deps);
}
