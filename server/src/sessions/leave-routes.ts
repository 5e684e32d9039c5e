import { isUtf8 } from 'node:buffer';
import { routePath } from '@session-launch/contract/operation';
import { leaveOperation } from '@session-launch/contract/sessions';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../errors.ts';
import { readBytes } from '../http/json-body.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { leaveBodiesUnread } from '../http/unread-body.ts';
import { isId } from '../ids.ts';
import { corsHeaders, preflightHeaders } from '../origins/cors.ts';
import type { Database } from '../store/database.ts';
import type { TokenVerifier } from '../tokens/verify-token.ts';
import { endSession } from './store.ts';

export interface LeaveDeps {
  database: Database;
  tokens: TokenVerifier;
}

/** Tokens are some 500 bytes; nothing longer is looked at. */
const longestToken = 8 * 1024;

/** A client that leaves ends its session, by the token alone: a page that closes can send no header. */
export async function leaveRoutes(app: FastifyInstance, { database, tokens }: LeaveDeps): Promise<void> {
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
    if (!isId('ses', sessionId)) throw new ApiError('SESSION_TOKEN_INVALID');
    const bytes = await readBytes(request.raw);
    if (bytes.length > longestToken || !isUtf8(bytes)) throw new ApiError('SESSION_TOKEN_INVALID');
    // A conversation may outlast its token.
    const { projectId } = await tokens.verify(bytes.toString('utf8').trim(), sessionId, true);
    const ended = await endSession(database.orm, projectId, sessionId, 'client_left');
    if (ended === undefined) throw new ApiError('SESSION_TOKEN_INVALID');
    if (ended.endReason === 'client_left')
      request.log.info({ reqId: request.id, sessionId }, 'a client has left its session');
    return reply.code(204).send();
  });
  app.options(path, async (_request, reply) => {
    if (reply.hasHeader('Access-Control-Allow-Origin')) reply.headers(preflightHeaders);
    return reply.code(204).send();
  });
  refuseOtherMethods(app, path, ['POST', 'OPTIONS']);
}
