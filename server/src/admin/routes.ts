import type { FastifyInstance } from 'fastify';
import { bufferBodies } from '../http/bodies/buffered-body.ts';
import { artAdminRoutes } from './art-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { AdminDeps } from './deps.ts';
import { experienceAdminRoutes } from './experience-routes.ts';
import { guardOperators } from './guard.ts';
import { keyAdminRoutes } from './key-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { originRoutes } from './origin-routes.ts';
import { overviewRoutes } from './overview-routes.ts';
import { previewAdminRoutes } from './preview-routes.ts';
import { projectAdminRoutes } from './project-routes.ts';
import { sessionAdminRoutes } from './session-routes.ts';
import { settingsAdminRoutes } from './settings-routes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { simulationRoutes } from './simulation-routes.ts';
import { statusRoutes } from './status-routes.ts';
import { systemRoutes } from './system-routes.ts';

const projectFileMiB = 4;

/** The admin API except `/metrics`. */
export async function adminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  await app.register(signInRoutes, deps);
  await app.register(operatorsOnly, deps);
}

/** The routes that need a token or the cookie of the console. */
async function operatorsOnly(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  guardOperators(app, deps);
  deps.admission.limit(app);
  bufferBodies(app, projectFileMiB);
  await app.register(projectAdminRoutes, deps);
  await app.register(settingsAdminRoutes, deps);
  await app.register(experienceAdminRoutes, deps);
  await app.register(keyAdminRoutes, deps);
  await app.register(sessionAdminRoutes, deps);
  await app.register(artAdminRoutes, deps);
  await app.register(overviewRoutes, deps);
  await app.register(loginRoutes, deps);
  await app.register(operatorRoutes, deps);
  await app.register(statusRoutes, deps);
  await app.register(previewAdminRoutes, deps);
  await app.register(simulationRoutes, deps);
  await app.register(originRoutes, deps);
  await app.register(auditRoutes, deps);
  await app.register(systemRoutes, deps);
}
