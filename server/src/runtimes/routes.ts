import { routePath } from '@session-launch/contract/operation';
import {
  type ConnectRequest,
  connectOperation,
  connectRequestSchema,
  reportOperation,
  reportSchema,
} from '@session-launch/contract/runtime/lifecycle';
import type { FastifyInstance } from 'fastify';
import type { Directory } from '../experiences/directory.ts';
import { bufferBodies, jsonOf } from '../http/bodies/buffered-body.ts';
import { requireBearer } from '../http/guards/bearer.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { connectSession, type LifecycleDeps, reportSessions } from '../sessions/lifecycle.ts';
import { runtimeManifest } from '../sessions/manifest.ts';
import { sessionRecord } from '../sessions/session.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { reader } from '../validation/validator.ts';

export interface RuntimeDeps extends LifecycleDeps {
  /** The runtime token, valid only for these routes. */
  token: string;
  directory: Directory;
  tokens: TokenVerifier;
}

/** Maximum size of a report in MiB. */
const reportMiB = 2;
const readConnect = reader(connectRequestSchema);
const readReport = reader(reportSchema);

/** The API for runtimes: connect a session and report its usage. */
export async function runtimeRoutes(app: FastifyInstance, deps: RuntimeDeps): Promise<void> {
  const admit = requireBearer(deps.token, 'RUNTIME_TOKEN_INVALID');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    admit(request.headers.authorization);
  });
  bufferBodies(app, reportMiB);

  const connectPath = routePath(connectOperation);
  app.post<{ Params: { sessionId: string } }>(connectPath, async (request) => {
    const wanted = readConnect(jsonOf(request));
    try {
      return await connect(deps, request.params.sessionId, wanted, request.id);
    } catch (error) {
      deps.counts.connected(toApiError(error as Error).code);
      throw error;
    }
  });
  refuseOtherMethods(app, connectPath, ['POST']);

  app.post(reportOperation.path, async (request) =>
    reportSessions(deps, readReport(jsonOf(request)), request.id),
  );
  refuseOtherMethods(app, reportOperation.path, ['POST']);
}

async function connect(
  deps: RuntimeDeps,
  sessionId: string,
  { sessionToken, runtimeId, client }: ConnectRequest,
  requestId: string,
): Promise<object> {
  const { projectId, experienceId, revision } = await deps.tokens.verify(sessionToken, sessionId);
  // Look up the revision first: if that fails, the session has not been connected and can be retried.
  const pinned = await deps.directory.revision(projectId, experienceId, revision);
  const session = await connectSession(deps, { sessionId, runtimeId, client }, requestId);
  return {
    session: sessionRecord(session),
    manifest: runtimeManifest(session, pinned),
    mind: pinned.runtime.mind ?? {},
    limits: pinned.runtime.limits,
  };
}
