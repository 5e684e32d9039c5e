import { routePath } from '@session-launch/contract/operation';
import {
  connectOperation,
  connectRequestSchema,
  reportOperation,
  reportSchema,
} from '@session-launch/contract/runtime/lifecycle';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import type { Directory } from '../experiences/directory.ts';
import { parseJson } from '../http/json-body.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { reader } from '../http/validator.ts';
import { connectSession, type LifecycleDeps, reportSessions } from '../sessions/lifecycle.ts';
import { runtimeManifest } from '../sessions/manifest.ts';
import { sessionRecord } from '../sessions/session.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';

export interface RuntimeDeps extends LifecycleDeps {
  /** Opens these routes and nothing else. */
  runtimeToken: string;
  directory: Directory;
  tokens: TokenVerifier;
  requireToken: (authorization: string | undefined) => void;
}

const bodyLimit = 2 * 1024 * 1024;
const readConnect = reader(connectRequestSchema);
const readReport = reader(reportSchema);

/** The interface for runtimes: who begins a session, and what becomes of it. */
export async function runtimeRoutes(app: FastifyInstance, deps: RuntimeDeps): Promise<void> {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    deps.requireToken(request.headers.authorization);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error: Error & { code?: string }) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
    throw new ApiError('PAYLOAD_TOO_LARGE', { message: 'The request body is larger than 2 MiB.' });
  });

  const connectPath = routePath(connectOperation);
  app.post<{ Params: { sessionId: string } }>(connectPath, async (request) => {
    const { sessionToken, runtimeId } = readConnect(bodyOf(request.body));
    const { sessionId } = request.params;
    await deps.tokens.verify(sessionToken, sessionId).catch((error: ApiError) => {
      deps.counts.connected(error.code);
      throw error;
    });
    const session = await connectSession(deps, sessionId, runtimeId, request.id);
    const { projectId, experienceId, revision } = session;
    const { runtime, ...pinned } = await deps.directory.revision(projectId, experienceId, revision);
    return {
      session: sessionRecord(session),
      manifest: runtimeManifest(session, { runtime, ...pinned }),
      mind: runtime.mind ?? {},
      limits: runtime.limits,
    };
  });
  refuseOtherMethods(app, connectPath, ['POST']);

  app.post(reportOperation.path, async (request) =>
    reportSessions(deps, readReport(bodyOf(request.body)), request.id),
  );
  refuseOtherMethods(app, reportOperation.path, ['POST']);
}

function bodyOf(body: unknown): unknown {
  return parseJson((body as Buffer | undefined) ?? Buffer.alloc(0));
}
