import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unavailable } from '../errors.ts';
import type { Load } from '../observe/metrics.ts';
import { sendError } from './error-handler.ts';
import { Places } from './places.ts';

/** Minimum milliseconds between log lines about refused requests. */
const tellEveryMs = 10_000;

/**
 * Rejects a scope's requests with 503 while too many of them are in flight (load shedding): beyond that number, every further request
 * only increases the latency of all. Call it before the scope's routes are added.
 */
export function admitAtMost(app: FastifyInstance, most: number): Load {
  const places = new Places(most);
  // One shared error object: capturing a stack trace would be most of the cost of a refusal.
  const busy = unavailable();
  let told = Number.NEGATIVE_INFINITY;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    if (performance.now() - told > tellEveryMs) {
      told = performance.now();
      request.log.warn({ underWay: places.underWay }, 'too many concurrent requests; some are refused');
    }
    return sendError(request, reply, busy);
  };
  app.addHook('onRoute', (route) => {
    // A preflight is cheap, and without its response a page could not read the refusal.
    if (route.method === 'OPTIONS') return;
    const handler = route.handler.bind(app);
    // Runs after all other hooks, so that a refusal carries the headers of its route.
    route.handler = (request, reply) =>
      places.hold<unknown, [FastifyRequest, FastifyReply]>(request.raw, handler, refuse, request, reply);
  });
  return places;
}
