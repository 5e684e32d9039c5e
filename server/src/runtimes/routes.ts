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
import { parseJson } from '../http/bodies/json-body.ts';
import { requireBearer } from '../http/guards/bearer.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { ApiError } from '../primitives/errors.ts';
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

const bodyLimit = 2 * 1024 * 1024;
/** Bodies up to this size are read and discarded before the 413 is sent; answering earlier would reset the connection. */
const heardOut = 16 * 1024 * 1024;
const readConnect = reader(connectRequestSchema);
const readReport = reader(reportSchema);

/** The API for runtimes: connect a session and report its usage. */
export async function runtimeRoutes(app: FastifyInstance, deps: RuntimeDeps): Promise<void> {
  const admit = requireBearer(deps.token, 'RUNTIME_TOKEN_INVALID');
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    admit(request.headers.authorization);
  });
  app.removeAllContentTypeParsers();
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', { message: 'The request body is larger than 2 MiB.' });
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: heardOut }, (_request, body, done) =>
    body.length > bodyLimit ? done(tooLarge()) : done(null, body),
  );
  app.setErrorHandler((error: Error & { code?: string }) => {
    throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge() : error;
  });

  const connectPath = routePath(connectOperation);
  app.post<{ Params: { sessionId: string } }>(connectPath, async ({ params, body, id }) => {
    const wish = readConnect(bodyOf(body));
    try {
      return await connect(deps, params.sessionId, wish, id);
    } catch (error) {
      deps.counts.connected(toApiError(error as Error).code);
      throw error;
    }
  });
  refuseOtherMethods(app, connectPath, ['POST']);

  app.post(reportOperation.path, async ({ body, id }) => reportSessions(deps, readReport(bodyOf(body)), id));
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

function bodyOf(body: unknown): unknown {
  return parseJson((body as Buffer | undefined) ?? Buffer.alloc(0));
}
