import type { FastifyInstance } from 'fastify';
import { operation } from '../http/operation.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { keySetOperation } from './session-operations.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Public keys for runtimes: cacheable, since a key is published before it signs and retired after it. */
export async function jwksRoutes(app: FastifyInstance, deps: { signingKeys: SigningKeys }): Promise<void> {
  const path = '/.well-known/jwks.json';
  const body = JSON.stringify({ keys: deps.signingKeys.all.map((key) => key.publicJwk) });
  app.get(path, { schema: operation(keySetOperation) }, async (_request, reply) =>
    reply.header('Cache-Control', 'public, max-age=300').type('application/json; charset=utf-8').send(body),
  );
  refuseOtherMethods(app, path, ['GET']);
}
