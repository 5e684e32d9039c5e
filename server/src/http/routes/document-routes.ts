import { openApiDocument } from '@session-launch/contract/document';
import { publicApi } from '@session-launch/contract/public-api';
import type { FastifyInstance } from 'fastify';
import { etagOf, matchesEtag } from '../../primitives/etag.ts';
import { refuseOtherMethods } from '../listener/server.ts';

const path = '/openapi.json';

/** The machine-readable contract. */
export async function documentRoutes(app: FastifyInstance): Promise<void> {
  const body = JSON.stringify(openApiDocument(publicApi));
  const etag = etagOf(body);
  app.get(path, async (request, reply) => {
    reply.headers({
      ETag: etag,
      'Cache-Control': 'public, max-age=300',
      // The document is public, so tools on other origins may read it.
      'Access-Control-Allow-Origin': '*',
    });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(body);
  });
  refuseOtherMethods(app, path, ['GET']);
}
