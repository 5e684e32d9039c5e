import type { BlockList } from 'node:net';
import { entryOperation, listOperation } from '@session-launch/contract/catalog';
import { galleryOperation, galleryQuery } from '@session-launch/contract/gallery';
import { routePath } from '@session-launch/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import type { KeyRing } from '../keys/authenticate.ts';
import { Client } from '../limits/client-address.ts';
import { ApiError } from '../primitives/errors.ts';
import { matchesEtag } from '../primitives/etag.ts';
import { endOfTick } from '../primitives/event-loop.ts';
import { reader } from '../primitives/validator.ts';
import type { Catalog, CatalogAnswer } from './catalog.ts';

export interface CatalogRouteDeps {
  keyRing: KeyRing;
  catalog: Catalog;
  trustProxy: BlockList | undefined;
}

const listPath = routePath(listOperation);
const entryPath = routePath(entryOperation);
const galleryPath = routePath(galleryOperation);

const readGalleryQuery = reader(galleryQuery);

export async function catalogRoutes(app: FastifyInstance, deps: CatalogRouteDeps): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    // Private caches may store the response but must revalidate it each time.
    reply.header('Cache-Control', 'private, no-cache');
    reply.header('Vary', 'Authorization');
    done();
  });

  app.get<{ Params: { projectId: string } }>(listPath, async (request, reply) => {
    const { projectId } = request.params;
    await admit(deps, request, projectId);
    return show(request, reply, await deps.catalog.list(projectId));
  });
  refuseOtherMethods(app, listPath, ['GET']);

  app.get<{ Params: { projectId: string; slug: string } }>(entryPath, async (request, reply) => {
    const { projectId, slug } = request.params;
    await admit(deps, request, projectId);
    const entry = await deps.catalog.entry(projectId, slug);
    if (entry === undefined) throw new ApiError('EXPERIENCE_NOT_FOUND');
    return show(request, reply, entry);
  });
  refuseOtherMethods(app, entryPath, ['GET']);

  app.get<{ Params: { projectId: string } }>(galleryPath, async (request, reply) => {
    const { projectId } = request.params;
    await admit(deps, request, projectId);
    const filter = readGalleryQuery(request.query);
    return show(request, reply, await deps.catalog.gallery(projectId, filter));
  });
  refuseOtherMethods(app, galleryPath, ['GET']);
}

/** Accepts any valid key of the project, regardless of its scopes. The refusal does not reveal whether another project exists. */
async function admit(deps: CatalogRouteDeps, request: FastifyRequest, projectId: string): Promise<void> {
  const client = new Client(request.raw, deps.trustProxy);
  const holder = await deps.keyRing.authenticate(request.raw.headers.authorization, 'any', client);
  if (holder.projectId !== projectId) throw new ApiError('PROJECT_FORBIDDEN');
}

/** Sends responses that become ready in the same tick together, so that a client wakes up once. */
async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: CatalogAnswer,
): Promise<FastifyReply> {
  await endOfTick();
  reply.header('ETag', answer.etag);
  if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send();
  return reply.type('application/json; charset=utf-8').send(answer.body);
}
