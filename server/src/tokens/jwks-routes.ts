import { keySetOperation } from '@session-launch/contract/verification';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Public keys for runtimes. Cacheable: a key is published before it signs the first token and removed after the last one expired. */
export async function jwksRoutes(app: FastifyInstance, deps: { signingKeys: SigningKeys }): Promise<void> {
  const { path } = keySetOperation;
  const body = JSON.stringify({ keys: deps.signingKeys.all.map((key) => key.publicJwk) });
  app.get(path, async (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=300').type('application/json; charset=utf-8').send(body),
  );
  refuseOtherMethods(app, path, ['GET']);
}
