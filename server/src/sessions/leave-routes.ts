import { isUtf8 } from 'node:buffer';
import { routePath } from '@session-launch/contract/operation';
import { leaveOperation } from '@session-launch/contract/sessions';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { readBytes } from '../http/bodies/json-body.ts';
import { leaveBodiesUnread } from '../http/bodies/unread-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { corsHeaders, preflightHeaders } from '../origins/cors.ts';
import { ApiError } from '../primitives/errors.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { type ChangeDeps, endSession } from './lifecycle.ts';

export interface LeaveDeps {
  lifecycle: ChangeDeps;
  tokens: TokenVerifier;
}

/** How many ended sessions are remembered, and for how many milliseconds. */
const remembered = { max: 10_000, ttl: 60_000 };

/** Ends a session on behalf of its client, authenticated by the token in the body: a beacon cannot set headers. */
export async function leaveRoutes(app: FastifyInstance, { lifecycle, tokens }: LeaveDeps): Promise<void> {
  const end = endOnce(lifecycle);
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
    // Expired tokens are accepted, because a conversation may outlast its token.
    const { projectId } = tokens.verify(bytes.toString('utf8').trim(), sessionId, 'even expired');
    if (!(await end(projectId, sessionId, request.id))) throw new ApiError('SESSION_TOKEN_INVALID');
    return reply.code(204).send();
  });
  app.options(path, async (_request, reply) => {
    if (reply.hasHeader('Access-Control-Allow-Origin')) reply.headers(preflightHeaders('POST'));
    return reply.code(204).send();
  });
  refuseOtherMethods(app, path, ['POST', 'OPTIONS']);
}

/** Ends a session. Repeated calls share one query, whose result is cached for a minute. Resolves with false for an unknown session. */
function endOnce(lifecycle: ChangeDeps) {
  const ends = new LRUCache<string, Promise<boolean>>(remembered);
  return (projectId: string, sessionId: string, requestId: string): Promise<boolean> => {
    const known = ends.get(sessionId);
    if (known !== undefined) return known;
    const ending = endSession(lifecycle, projectId, sessionId, 'client_left', requestId).then(
      (session) => session !== undefined,
    );
    ends.set(sessionId, ending);
    const forget = () => ends.delete(sessionId);
    ending.then((isEnded) => isEnded || forget(), forget);
    return ending;
  };
}
