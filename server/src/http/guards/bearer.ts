import { bearerCheck } from '@session-launch/process/bearer-token';
import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../primitives/errors.ts';

/** Returns a check that throws unless the header holds one of these tokens. */
export function requireBearer(
  tokens: string | readonly string[],
  refusal: 'ADMIN_TOKEN_INVALID' | 'RUNTIME_TOKEN_INVALID',
): (authorization: string | undefined) => void {
  const isToken = bearerCheck([tokens].flat());
  return (authorization) => {
    if (!isToken(authorization)) throw new ApiError(refusal, { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
}

/** Requires one of these tokens for every route of `app`, and forbids caching the responses. */
export function protectRoutes(app: FastifyInstance, ...check: Parameters<typeof requireBearer>): void {
  const admit = requireBearer(...check);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('Cache-Control', 'no-store, private');
    admit(request.headers.authorization);
  });
}
