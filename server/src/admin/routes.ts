import type { FastifyInstance } from 'fastify';
import { requireBearer } from '../http/guards/bearer.ts';
import { ApiError } from '../primitives/errors.ts';
import { type KeyAdminDeps, keyAdminRoutes } from './key-routes.ts';
import { type ProjectAdminDeps, projectAdminRoutes } from './project-routes.ts';
import { type SessionAdminDeps, sessionAdminRoutes } from './session-routes.ts';
import { type StatusDeps, statusRoutes } from './status-routes.ts';

export interface AdminDeps extends KeyAdminDeps, ProjectAdminDeps, SessionAdminDeps, StatusDeps {
  token: string;
}

const projectFileLimit = 4 * 1024 * 1024;
/** Bodies up to this size are read and discarded before the 413 is sent; answering earlier would reset the connection. */
const heardOut = 16 * 1024 * 1024;

/** The admin API except `/metrics`. Every route requires the admin token. */
export async function adminRoutes(app: FastifyInstance, deps: AdminDeps): Promise<void> {
  const admit = requireBearer(deps.token, 'ADMIN_TOKEN_INVALID');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    admit(request.headers.authorization);
  });
  // Project files may be YAML, so each route parses its own body.
  app.removeAllContentTypeParsers();
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', { message: 'The request body is larger than 4 MiB.' });
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: heardOut }, (_request, body, done) =>
    body.length > projectFileLimit ? done(tooLarge()) : done(null, body),
  );
  app.setErrorHandler((error: Error & { code?: string }) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
    throw tooLarge();
  });
  await app.register(projectAdminRoutes, deps);
  await app.register(keyAdminRoutes, deps);
  await app.register(sessionAdminRoutes, deps);
  await app.register(statusRoutes, deps);
}
