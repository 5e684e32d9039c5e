import type { FastifyInstance } from 'fastify';

/**
 * Leaves the bodies of a scope's requests to its routes, which read them in their turn or not at all. Otherwise
 * Fastify would refuse a malformed Content-Type before a route has asked who is calling.
 */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', async (request) => {
    // Fastify's view only: the raw request keeps the media type that was sent.
    request.headers = { 'content-type': 'application/octet-stream' };
  });
}
