import { availabilityOperation, availabilityQuery } from '@session-launch/contract/availability';
import { routePath } from '@session-launch/contract/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { Client } from '../limits/client-address.ts';
import { MemoryWindows } from '../limits/rate-windows.ts';
import { corsHeaders } from '../origins/cors.ts';
import { ApiError } from '../primitives/errors.ts';
import { reader } from '../primitives/validator.ts';
import { type AvailabilityDeps, availability, endpointOf } from './availability.ts';
import { EndpointCall, type EndpointDeps, preflight } from './endpoint-routes.ts';
import type { Endpoint } from './endpoints.ts';

/** Requests of a client network that one process answers in a minute. */
const limit = 120;
const windowSeconds = 60;
const path = routePath(availabilityOperation);
const readQuery = reader(availabilityQuery);

/** Tells a page whether a session could start, before its visitor tries. */
export async function availabilityRoutes(
  app: FastifyInstance,
  deps: AvailabilityDeps & Pick<EndpointDeps, 'trustProxy'>,
): Promise<void> {
  const windows = new MemoryWindows(windowSeconds);
  // Without requests, expired windows would stay in memory.
  const cleaning = setInterval(() => windows.clean(), windowSeconds * 1_000).unref();
  app.addHook('onClose', async () => clearInterval(cleaning));

  /** CORS headers for pages that may read a response whose experience is not known yet. */
  const addCors = async (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => {
    const { origin } = request.raw.headers;
    const isListed = async () =>
      origin !== undefined &&
      (await deps.directory
        .isListedAnywhere(origin, new Client(request.raw, deps.trustProxy))
        .catch(() => false));
    if (endpoint.readable === 'everywhere' || (await isListed())) reply.headers(corsHeaders(origin));
  };

  app.addHook('onRequest', async (request, reply) => {
    reply.header('Vary', 'Origin');
    await addCors(endpointNamedBy(request), request, reply);
  });

  app.get<{ Params: { experienceId: string } }>(path, async (request, reply) => {
    readQuery(request.query); // 400
    const endpoint = endpointNamedBy(request);
    const call = new EndpointCall(endpoint, deps.trustProxy, request.raw, reply);
    if (!call.origin) throw new ApiError('ORIGIN_REQUIRED');
    await spend(windows, call.client.network()); // 429
    const answer = await availability(deps, endpoint, call, request.params.experienceId);
    return reply.header('Cache-Control', 'private, max-age=5').send(answer);
  });
  app.options(path, async (_request, reply) => preflight(reply, 'GET'));
  refuseOtherMethods(app, path, ['GET', 'OPTIONS']);
}

/** The mint route that the request names; that of `/v1/browser-sessions` if it names none. */
function endpointNamedBy({ query }: FastifyRequest): Endpoint {
  return endpointOf((query as { door?: unknown }).door === 'public' ? 'public' : 'browser');
}

async function spend(windows: MemoryWindows, key: string): Promise<void> {
  const [position] = await windows.spend([{ key, limit }]);
  if (position!.points <= limit) return;
  const retryAfterSeconds = Math.max(Math.ceil(position!.leftMs / 1000), 1);
  throw new ApiError('RATE_LIMITED', {
    message: `Too many availability requests from this client: at most ${limit} a minute. Retry after ${retryAfterSeconds} s.`,
    details: { policy: 'client', limit, retryAfterSeconds },
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}
