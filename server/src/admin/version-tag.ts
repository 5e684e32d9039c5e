import type { FastifyReply } from 'fastify';

/** Sets the ETag to the version of what the response contains. */
export function giveVersion(reply: FastifyReply, version: number): void {
  reply.header('ETag', `"${version}"`);
}
