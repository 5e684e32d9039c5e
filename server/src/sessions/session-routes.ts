import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';
import { operation } from '../http/operation.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { leaveBodiesUnread } from '../http/unread-body.ts';
import { isId } from '../ids.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { networkOf } from '../limits/client-address.ts';
import type { Database } from '../store/database.ts';
import { endOperation, readOperation } from './session-operations.ts';
import { sessionRecord } from './session-record.ts';
import { endSession, type Session, SessionReader } from './store.ts';

export interface SessionRouteDeps {
  database: Database;
  keyRing: KeyRing;
  trustProxy: BlockList | undefined;
}

export async function sessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store, private');
    done();
  });
  // Ending needs no body; whatever comes along is not even looked at.
  leaveBodiesUnread(app);

  const reader = new SessionReader(deps.database);
  const path = '/v1/sessions/:sessionId';
  const read = { schema: operation(readOperation) };
  app.get<{ Params: { sessionId: string } }>(path, read, async (request, reply) => {
    const asker = () => networkOf(request.raw, deps.trustProxy);
    const holder = await deps.keyRing.authenticate(request.raw.headers.authorization, 'sessions:read', asker);
    const { sessionId } = request.params;
    if (!isId('ses', sessionId)) throw new ApiError('SESSION_NOT_FOUND');
    return show(reply, await reader.find(holder.projectId, sessionId));
  });
  refuseOtherMethods(app, path, ['GET']);

  const end = { schema: operation(endOperation) };
  app.post<{ Params: { sessionId: string } }>(`${path}/end`, end, async (request, reply) => {
    const asker = () => networkOf(request.raw, deps.trustProxy);
    const holder = await deps.keyRing.authenticate(
      request.raw.headers.authorization,
      'sessions:create',
      asker,
    );
    const { sessionId } = request.params;
    if (!isId('ses', sessionId)) throw new ApiError('SESSION_NOT_FOUND');
    return show(reply, await endSession(deps.database.orm, holder.projectId, sessionId, new Date()));
  });
  refuseOtherMethods(app, `${path}/end`, ['POST']);
}

/** An unknown id and another project's are one and the same to the caller. */
function show(reply: FastifyReply, session: Session | undefined): FastifyReply {
  if (session === undefined) throw new ApiError('SESSION_NOT_FOUND');
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(sessionRecord(session)));
}
