import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../errors.ts';
import type { Load } from '../observe/metrics.ts';
import { sendError } from './error-handler.ts';
import { Places } from './places.ts';

/** A crowd is worth a line in the log now and then, not one for each of its members. */
const tellEveryMs = 10_000;

/**
 * Refuses a scope's requests, cheaply and at once, while too many of them are under way: beyond what is done in a
 * moment, one more only makes all of them late. Call it before the scope's routes are added.
 */
export function admitAtMost(app: FastifyInstance, most: number): Load {
  const places = new Places(most);
  // One error for all: making its stack would be a large part of a refusal.
  const busy = unavailable();
  let told = Number.NEGATIVE_INFINITY;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    if (performance.now() - told > tellEveryMs) {
      told = performance.now();
      request.log.warn({ underWay: places.underWay }, 'too many requests at once; some are refused');
    }
    return sendError(request, reply, busy);
  };
  app.addHook('onRoute', (route) => {
    // A preflight costs next to nothing, and a page that gets none could not read the refusal.
    if (route.method === 'OPTIONS') return;
    const handler = route.handler.bind(app);
    // Behind every hook, so that a refusal has the headers of its route.
    route.handler = (request, reply) =>
      places.hold<unknown, [FastifyRequest, FastifyReply]>(request.raw, handler, refuse, request, reply);
  });
  return places;
}
