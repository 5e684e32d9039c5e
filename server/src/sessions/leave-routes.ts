import { isUtf8 } from 'node:buffer';
import { routePath } from '@session-launch/contract/operation';
import { leaveOperation } from '@session-launch/contract/sessions';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { readBytes } from '../http/json-body.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { leaveBodiesUnread } from '../http/unread-body.ts';
import { corsHeaders, preflightHeaders } from '../origins/cors.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { endSession, type LifecycleDeps } from './lifecycle.ts';

export interface LeaveDeps {
  lifecycle: LifecycleDeps;
  tokens: TokenVerifier;
}

/** A client that leaves ends its session, by the token alone: a page that closes can send no header. */
export async function leaveRoutes(app: FastifyInstance, { lifecycle, tokens }: LeaveDeps): Promise<void> {
  const path = routePath(leaveOperation);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'Cache-Control': 'no-store, private',
      Vary: 'Origin',
      ...corsHeaders(request.raw.headers.origin),
    });
    done();
  });
  leaveBodiesUnread(app);
  app.post<{ Params: { sessionId: string } }>(path, async (request, reply) => {
    const { sessionId } = request.params;
    const bytes = await readBytes(request.raw);
    if (!isUtf8(bytes)) throw new ApiError('SESSION_TOKEN_INVALID');
    // A conversation may outlast its token.
    const { projectId } = await tokens.verify(bytes.toString('utf8').trim(), sessionId, 'even expired');
    const ended = await endSession(lifecycle, projectId, sessionId, 'client_left', request.id);
    if (ended === undefined) throw new ApiError('SESSION_TOKEN_INVALID');
    return reply.code(204).send();
  });
  app.options(path, async (_request, reply) => {
    if (reply.hasHeader('Access-Control-Allow-Origin')) reply.headers(preflightHeaders);
    return reply.code(204).send();
  });
  refuseOtherMethods(app, path, ['POST', 'OPTIONS']);
}
