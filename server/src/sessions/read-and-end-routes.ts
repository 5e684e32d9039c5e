import type { BlockList } from 'node:net';
import { routePath, type Scope } from '@session-launch/contract/operation';
import { endOperation, readOperation } from '@session-launch/contract/sessions';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { leaveBodiesUnread } from '../http/bodies/unread-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { Client } from '../limits/client-address.ts';
import { ApiError } from '../primitives/errors.ts';
import { isId } from '../primitives/ids.ts';
import type { Database } from '../store/database.ts';
import { SessionReader } from './find.ts';
import { type ChangeDeps, endSession } from './lifecycle.ts';
import { type Session, sessionRecord } from './session.ts';

export interface SessionRouteDeps {
  database: Database;
  lifecycle: ChangeDeps;
  keyRing: KeyRing;
  trustProxy: BlockList | undefined;
}

export async function sessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store, private');
    done();
  });
  // `end` ignores its body.
  leaveBodiesUnread(app);

  const reader = new SessionReader(deps.database);
  const readPath = routePath(readOperation);
  app.get<{ Params: { sessionId: string } }>(readPath, async (request, reply) => {
    const holder = await holderOf(deps, request, 'sessions:read');
    const { sessionId } = request.params;
    if (!isId('ses', sessionId)) throw new ApiError('SESSION_NOT_FOUND');
    return show(reply, await reader.find(holder.projectId, sessionId));
  });
  refuseOtherMethods(app, readPath, ['GET']);

  const endPath = routePath(endOperation);
  app.post<{ Params: { sessionId: string } }>(endPath, async (request, reply) => {
    const holder = await holderOf(deps, request, 'sessions:create');
    const { sessionId } = request.params;
    if (!isId('ses', sessionId)) throw new ApiError('SESSION_NOT_FOUND');
    return show(
      reply,
      await endSession(deps.lifecycle, holder.projectId, sessionId, 'api_request', request.id),
    );
  });
  refuseOtherMethods(app, endPath, ['POST']);
}

function holderOf({ keyRing, trustProxy }: SessionRouteDeps, { raw }: FastifyRequest, scope: Scope) {
  return keyRing.authenticate(raw.headers.authorization, scope, new Client(raw, trustProxy));
}

/** An unknown id and another project's id get the same 404. */
function show(reply: FastifyReply, session: Session | undefined): FastifyReply {
  if (session === undefined) throw new ApiError('SESSION_NOT_FOUND');
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(sessionRecord(session)));
}
