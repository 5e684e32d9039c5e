import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { TObject } from 'typebox';
import { contractInfo } from './contract-info.ts';
import { etagOf, matchesEtag } from './etag.ts';
import { hidden } from './operation.ts';
import { type OpenApiDocument, published } from './published.ts';
import { errorSchema, healthSchema, readinessSchema } from './schemas.ts';
import { refuseOtherMethods } from './server.ts';

const path = '/openapi.json';

/**
 * Collects the operations of every route that is mounted afterwards. At run time their schemas decide nothing:
 * the pipeline validates bodies itself, with the same schema objects and in the contract's order of checks, and
 * answers are rendered once. So the framework is told neither to validate nor to serialise by them.
 */
export async function describeRoutes(app: FastifyInstance, schemas: readonly TObject[]): Promise<void> {
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: contractInfo,
    convertConstToEnum: false,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `Schema${index}`),
    },
  });
  for (const schema of [...schemas, errorSchema, healthSchema, readinessSchema]) app.addSchema(schema);
}

/** The machine-readable contract. Only once the server is ready: before, routes may be missing from it. */
export function contractDocument(app: FastifyInstance): OpenApiDocument {
  return published(app.swagger() as unknown as OpenApiDocument);
}

export async function openApiRoutes(app: FastifyInstance): Promise<void> {
  let answer: { body: string; etag: string } | undefined;
  app.get(path, { schema: hidden }, async (request, reply) => {
    answer ??= rendered(contractDocument(app));
    reply.headers({
      ETag: answer.etag,
      'Cache-Control': 'public, max-age=300',
      // It is the same for everyone, so tools on other origins may read it.
      'Access-Control-Allow-Origin': '*',
    });
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(answer.body);
  });
  refuseOtherMethods(app, path, ['GET']);
}

function rendered(document: OpenApiDocument): { body: string; etag: string } {
  const body = JSON.stringify(document);
  return { body, etag: etagOf(body) };
}
