import type { FastifyInstance } from 'fastify';

/** Fastify's view only: the raw request keeps what was sent. */
const withoutBody = {
  'content-type': undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
};

/**
 * Leaves the bodies of a scope's requests to its routes, which read them in their turn or not at all. Otherwise
 * Fastify would refuse a malformed Content-Type before a route has asked who is calling. Read headers from `request.raw`
 * there: Fastify puts its own view together again each time it is asked.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.headers = withoutBody;
    done();
  });
}
