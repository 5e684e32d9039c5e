import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from '../http/error-handler.ts';
import { readJsonBody } from '../http/json-body.ts';
import { hidden, operation } from '../http/operation.ts';
import { refuseOtherMethods } from '../http/server.ts';
import { leaveBodiesUnread } from '../http/unread-body.ts';
import { addressOf, networkOf } from '../limits/client-address.ts';
import { corsHeaderNames, corsHeaders, preflightHeaders } from '../origins/cors.ts';
import { allows } from '../origins/origin.ts';
import { type Door, doors } from './doors.ts';
import { type MintDeps, mint } from './mint.ts';
import { mintOperations } from './mint-operations.ts';

export interface MintRouteDeps extends MintDeps {
  /** Told of every mint: `launched`, `replayed`, or the code of the error it ended with. */
  minted: (door: Door, outcome: string, seconds: number) => void;
  trustProxy: BlockList | undefined;
}

export async function mintRoutes(app: FastifyInstance, deps: MintRouteDeps): Promise<void> {
  for (const door of doors) await app.register(async (scope) => openDoor(scope, deps, door));
}

async function openDoor(app: FastifyInstance, deps: MintRouteDeps, door: Door): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store, private');
    done();
  });
  if (door.admits !== 'api-key') {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('Vary', 'Origin');
      const { origin } = request.raw.headers;
      if (await isAnswered(deps, door, request)) reply.headers(corsHeaders(origin));
    });
  }
  // The pipeline reads the body itself, after the checks that come before it.
  leaveBodiesUnread(app);

  const schema = operation(mintOperations[door.source]);
  app.post(door.path, { schema }, async (request, reply) => {
    const { raw } = request;
    const { headers } = raw;
    const started = performance.now();
    const took = () => (performance.now() - started) / 1000;
    const launch = await mint(deps, door, {
      authorization: headers.authorization,
      origin: headers.origin,
      acceptLanguage: headers['accept-language'],
      rawHeaders: raw.rawHeaders,
      clientAddress: () => addressOf(raw, deps.trustProxy),
      readBody: () => readJsonBody(raw),
      onExperience: (experience) => {
        if (door.admits !== 'experience-origin') return;
        if (allows(experience.allowedOrigins, headers.origin ?? ''))
          reply.headers(corsHeaders(headers.origin));
        else for (const name of corsHeaderNames) reply.removeHeader(name);
      },
    }).catch((error: unknown) => {
      deps.minted(door, toApiError(error as Error).code, took());
      throw error;
    });
    deps.minted(door, launch.replayed ? 'replayed' : 'launched', took());
    return reply
      .code(door.status)
      .headers(launch.headers)
      .type('application/json; charset=utf-8')
      .send(launch.body);
  });

  const fromBrowsers = door.admits !== 'api-key';
  if (fromBrowsers) app.options(door.path, { schema: hidden }, async (_request, reply) => preflight(reply));
  refuseOtherMethods(app, door.path, fromBrowsers ? ['POST', 'OPTIONS'] : ['POST']);
}

/** Which pages may read an answer before an experience is known. */
async function isAnswered(deps: MintRouteDeps, door: Door, request: FastifyRequest): Promise<boolean> {
  const { origin } = request.raw.headers;
  if (origin === undefined) return false;
  if (door.admits === 'project-origin') return true;
  try {
    return await deps.directory.isListedAnywhere(origin, () => networkOf(request.raw, deps.trustProxy));
  } catch (error) {
    // A mint cannot go on without the database; a preflight or a wrong method has its answer all the same.
    if (request.method !== 'POST') return false;
    deps.minted(door, toApiError(error as Error).code, 0);
    throw error;
  }
}

async function preflight(reply: FastifyReply): Promise<FastifyReply> {
  if (reply.hasHeader('Access-Control-Allow-Origin')) reply.headers(preflightHeaders);
  return reply.code(204).send();
}
