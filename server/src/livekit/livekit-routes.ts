import { routePath } from '@session-launch/contract/operation';
import { livekitWebhookOperation } from '@session-launch/contract/runtime/livekit';
import type { FastifyInstance } from 'fastify';
import { readBytes } from '../http/bodies/json-body.ts';
import { leaveBodiesUnread } from '../http/bodies/unread-body.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { ApiError } from '../primitives/errors.ts';
import type { LivekitKeys } from '../transports/livekit-token.ts';
import type { LivekitSessions } from './livekit-sessions.ts';
import { readEvent, signedHash } from './webhook.ts';

export interface LivekitRouteDeps {
  /** Absent: LiveKit is not configured. */
  livekit: { keys: LivekitKeys; sessions: LivekitSessions } | undefined;
}

/** Receives LiveKit's webhooks. On the public listener, because LiveKit may run anywhere; each request is signed. */
export async function livekitRoutes(app: FastifyInstance, { livekit }: LivekitRouteDeps): Promise<void> {
  const path = routePath(livekitWebhookOperation);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store, private');
    done();
  });
  leaveBodiesUnread(app);
  app.post(path, async (request, reply) => {
    // Without keys, no signature is valid.
    if (livekit === undefined) throw new ApiError('LIVEKIT_SIGNATURE_INVALID');
    const hash = await signedHash(livekit.keys, request.raw.headers.authorization);
    const event = readEvent(await readBytes(request.raw), hash);
    if (event !== undefined) await livekit.sessions.apply(event, request.id);
    return reply.code(204).send();
  });
  refuseOtherMethods(app, path, ['POST']);
}
