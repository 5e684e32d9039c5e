import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../primitives/errors.ts';
import { discardLimit, parseJson } from './json-body.ts';

/** Reads the bodies of a scope's requests, of any media type, into buffers of at most `maxMiB`. */
export function bufferBodies(app: FastifyInstance, maxMiB: number): void {
  const tooLarge = () =>
    new ApiError('PAYLOAD_TOO_LARGE', { message: `The request body is larger than ${maxMiB} MiB.` });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: discardLimit }, (_request, body, done) =>
    body.length > maxMiB * 1024 * 1024 ? done(tooLarge()) : done(null, body),
  );
  app.setErrorHandler((error: Error & { code?: string }) => {
    throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? tooLarge() : error;
  });
}

export function bytesOf({ body }: FastifyRequest): Buffer {
  return (body as Buffer | undefined) ?? Buffer.alloc(0);
}

export function jsonOf(request: FastifyRequest): unknown {
  return parseJson(bytesOf(request));
}

export function isEmpty(request: FastifyRequest): boolean {
  return bytesOf(request).length === 0;
}
