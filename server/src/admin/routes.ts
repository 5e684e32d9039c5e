import type { FastifyInstance } from 'fastify';
import { bufferBodies } from '../http/bodies/buffered-body.ts';
import { artAdminRoutes } from './art-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { AdminDeps } from './deps.ts';
import { experienceAdminRoutes } from './experience-routes.ts';
import { faceAdminRoutes } from './face-routes.ts';
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
import { toolAdminRoutes } from './tool-routes.ts';
import { webhookAdminRoutes } from './webhook-routes.ts';

const projectFileMiB = 4;

/** The admin API except `/metrics`. */
export async function adminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  await app.register(signInRoutes, deps);
  await app.register(operatorsOnly, deps);
}

/** Routes that need a token or the cookie of the console. */
const ofOperators = [
  projectAdminRoutes,
  settingsAdminRoutes,
  experienceAdminRoutes,
  keyAdminRoutes,
  toolAdminRoutes,
  webhookAdminRoutes,
  sessionAdminRoutes,
  artAdminRoutes,
  faceAdminRoutes,
  overviewRoutes,
  loginRoutes,
  operatorRoutes,
  statusRoutes,
  previewAdminRoutes,
  simulationRoutes,
  originRoutes,
  auditRoutes,
  systemRoutes,
];

async function operatorsOnly(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  guardOperators(app, deps);
  deps.admission.limit(app);
  bufferBodies(app, projectFileMiB);
  for (const routes of ofOperators) await app.register(routes, deps);
}
