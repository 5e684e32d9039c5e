import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../primitives/errors.ts';

/** Bodies up to this size are read and discarded before the 413 is sent; answering earlier would reset the connection. */
const discardLimit = 16 * 1024 * 1024;

/** Makes the bodies of a scope's requests available as Buffers, whatever their media type, up to this many MiB. */
export function acceptRawBodies(app: FastifyInstance, limitMiB: number): void {
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', { message: `The request body is larger than ${limitMiB} MiB.` });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: discardLimit }, (_request, body, done) =>
    body.length > limitMiB * 1024 * 1024 ? done(tooLarge()) : done(null, body),
  );
  app.setErrorHandler((error: Error & { code?: string }) => {
    throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge() : error;
  });
}
