import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Load } from '../../observe/metrics.ts';
import { unavailable } from '../../primitives/errors.ts';
import { sendError } from '../listener/error-handler.ts';
import { RequestSlots } from './request-slots.ts';

/** Minimum milliseconds between log lines about refused requests. */
const warnEveryMs = 10_000;

/**
 * Rejects a scope's requests with 503 while too many of them are in flight (load shedding): beyond that number, every further request
 * only increases the latency of all. Call it before the scope's routes are added.
 */
export function admitAtMost(app: FastifyInstance, max: number): Load {
  const slots = new RequestSlots(max);
  // One shared error object: capturing a stack trace would be most of the cost of a refusal.
  const busy = unavailable();
  let warnedAt = Number.NEGATIVE_INFINITY;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    if (performance.now() - warnedAt > warnEveryMs) {
      warnedAt = performance.now();
      request.log.warn({ inFlight: slots.inFlight }, 'too many concurrent requests; some are refused');
    }
    return sendError(request, reply, busy);
  };
  app.addHook('onRoute', (route) => {
    // A preflight is cheap, and without its response a page could not read the refusal.
    if (route.method === 'OPTIONS') return;
    const handler = route.handler.bind(app);
    // Runs after all other hooks, so that a refusal carries the headers of its route.
    route.handler = (request, reply) =>
      slots.hold<unknown, [FastifyRequest, FastifyReply]>(request.raw, handler, refuse, request, reply);
  });
  return slots;
}
