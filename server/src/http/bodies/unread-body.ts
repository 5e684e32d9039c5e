import type { FastifyInstance } from 'fastify';

/** Changes only Fastify's view of the headers; the raw request is unchanged. */
const withoutBody = {
  'content-type': undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
};

/**
 * Leaves request bodies unread, so that a scope's routes read them after their own checks, or not at all. Otherwise Fastify would reject
 * a malformed Content-Type before a route authenticates the caller. Read headers from `request.raw` there: Fastify rebuilds its own view
 * on each access.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    request.headers = withoutBody;
    done();
  });
}
