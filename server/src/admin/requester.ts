import type { FastifyReply } from 'fastify';
import type { Actor } from '../audit/actor.ts';
import type { Requester } from '../documents/fair-queue.ts';

/** For whom a document is processed. The signal is aborted when the connection closes. */
export function requesterOf({ actor, reply }: { actor: Actor; reply: FastifyReply }): Requester {
  const left = new AbortController();
  // The client may have disconnected before the listener is added.
  if (reply.raw.destroyed) left.abort();
  reply.raw.once('close', () => left.abort());
  return { operatorId: actor.operatorId, signal: left.signal };
}
