import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Source } from '@session-launch/contract/session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LaunchableExperience } from '../content/experiences.ts';
import { readJsonBody } from '../http/bodies/json-body.ts';
import { leaveBodiesUnread } from '../http/bodies/unread-body.ts';
import { toApiError } from '../http/listener/error-handler.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { Client } from '../limits/client-address.ts';
import type { RateLimitDetails } from '../limits/rate.ts';
import { corsHeaderNames, corsHeaders, preflightHeaders } from '../origins/cors.ts';
import { allows } from '../origins/origin.ts';
import type { Tallies } from '../statistics/tallies.ts';
import type { Call } from './call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { type MintDeps, mint } from './mint.ts';

export interface EndpointDeps extends MintDeps {
  /** Called for every mint with `launched`, `replayed` or the error code. */
  minted: (endpoint: Source, outcome: string, seconds: number) => void;
  /** Counts mints whose experience is known. */
  tallies: Pick<Tallies, 'count'>;
  trustProxy: BlockList | undefined;
}

/** If reading the body took longer than this, the caller is authenticated again. */
const slowMs = 1_000;

export async function endpointRoutes(app: FastifyInstance, deps: EndpointDeps): Promise<void> {
  for (const endpoint of endpoints) await app.register(async (scope) => addEndpoint(scope, deps, endpoint));
}

async function addEndpoint(app: FastifyInstance, deps: EndpointDeps, endpoint: Endpoint): Promise<void> {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('Cache-Control', 'no-store, private');
    done();
  });
  if (endpoint.readable !== undefined) {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('Vary', 'Origin');
      done();
    });
  }
  if (endpoint.readable === 'everywhere') {
    app.addHook('onRequest', (request, reply, done) => {
      reply.headers(corsHeaders(request.raw.headers.origin));
      done();
    });
  } else if (endpoint.readable === 'where listed') {
    app.addHook('onRequest', async (request, reply) => {
      if (await isListed(deps, endpoint, request)) reply.headers(corsHeaders(request.raw.headers.origin));
    });
  }
  // The pipeline reads the body itself, after the checks that precede it.
  leaveBodiesUnread(app);

  app.post(endpoint.path, async (request, reply) => {
    const started = performance.now();
    const call = new EndpointCall(endpoint, deps.trustProxy, request.raw, reply);
    const minted = (outcome: string, policy?: string) => {
      const seconds = (performance.now() - started) / 1000;
      deps.minted(endpoint.source, outcome, seconds);
      if (call.experience === undefined) return;
      const code = policy === undefined ? outcome : `${outcome}.${policy}`;
      const origin = endpoint.allowlist === undefined ? '' : (call.origin ?? '');
      deps.tallies.count(endpoint.source, code, call.experience, origin, seconds);
    };
    try {
      const answer = await mint(deps, endpoint, call);
      minted(answer.replayed ? 'replayed' : 'launched');
      reply.code(endpoint.status).headers(answer.headers).type('application/json; charset=utf-8');
      return answer.body;
    } catch (error) {
      const { code, details } = toApiError(error as Error);
      minted(code, code === 'RATE_LIMITED' ? (details as RateLimitDetails).policy : undefined);
      throw error;
    }
  });

  const isForPages = endpoint.readable !== undefined;
  if (isForPages) app.options(endpoint.path, async (_request, reply) => preflight(reply, 'POST'));
  refuseOtherMethods(app, endpoint.path, isForPages ? ['POST', 'OPTIONS'] : ['POST']);
}

/** A class, so that the methods are not allocated as closures for every request. */
export class EndpointCall implements Call {
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly acceptLanguage: string | undefined;
  readonly rawHeaders: readonly string[];
  readonly client: Client;
  /** The requested experience, once it has been found. */
  experience: LaunchableExperience | undefined;
  readonly #endpoint: Endpoint;
  readonly #request: IncomingMessage;
  readonly #reply: FastifyReply;
  #bodyMs = 0;

  constructor(
    endpoint: Endpoint,
    trustProxy: BlockList | undefined,
    request: IncomingMessage,
    reply: FastifyReply,
  ) {
    const { headers } = request;
    this.authorization = headers.authorization;
    this.origin = headers.origin;
    this.acceptLanguage = headers['accept-language'];
    this.rawHeaders = request.rawHeaders;
    this.client = new Client(request, trustProxy);
    this.#endpoint = endpoint;
    this.#request = request;
    this.#reply = reply;
  }

  async body(): Promise<unknown> {
    const asked = performance.now();
    const body = await readJsonBody(this.#request);
    this.#bodyMs = performance.now() - asked;
    return body;
  }

  wasSlow(): boolean {
    return this.#bodyMs > slowMs;
  }

  onFound(experience: LaunchableExperience): void {
    this.experience = experience;
  }

  onExperience({ allowedOrigins }: LaunchableExperience): void {
    if (this.#endpoint.readable !== 'where listed') return;
    const { origin } = this;
    if (allows(allowedOrigins, origin ?? '')) this.#reply.headers(corsHeaders(origin));
    else for (const name of corsHeaderNames) this.#reply.removeHeader(name);
  }
}

/** Whether a page may read a response that is sent before its experience is known. */
async function isListed(deps: EndpointDeps, endpoint: Endpoint, request: FastifyRequest): Promise<boolean> {
  const { origin } = request.raw.headers;
  if (origin === undefined) return false;
  try {
    return await deps.directory.isListedAnywhere(origin, new Client(request.raw, deps.trustProxy));
  } catch (error) {
    // A mint fails without the database; a preflight or a wrong method is answered all the same.
    if (request.method !== 'POST') return false;
    deps.minted(endpoint.source, toApiError(error as Error).code, 0);
    throw error;
  }
}

/** Answers a preflight for this method. */
export async function preflight(reply: FastifyReply, method: 'GET' | 'POST'): Promise<FastifyReply> {
  if (reply.hasHeader('Access-Control-Allow-Origin')) reply.headers(preflightHeaders(method));
  return reply.code(204).send();
}
