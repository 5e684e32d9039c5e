import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../primitives/errors.ts';
import { matchesEtag } from '../../primitives/etag.ts';
import { refuseOtherMethods } from '../listener/server.ts';
import { prefersGzip } from './accept-encoding.ts';

const compress = promisify(gzip);

interface LoadedFile {
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

/** What to serve a file as. */
export interface FileForm {
  type: string;
  /** The name stays the same when the content changes, so browsers must revalidate their copy. */
  cacheControl?: string;
  headers?: Record<string, string>;
}

/** Serves a file for browsers, from memory after the first request. */
export function serveFile(app: FastifyInstance, path: string, file: URL, form: FileForm): void {
  app.get(path, fileSender(file, form));
  refuseOtherMethods(app, path, ['GET']);
}

/**
 * Serves several files below a path, each by its name; the file of the path itself has an empty name. `missing` answers requests for other
 * names.
 */
export function serveFiles(
  app: FastifyInstance,
  path: string,
  files: ReadonlyMap<string, FileSender>,
  missing: FileSender = notFound,
): void {
  app.get<{ Params: { '*': string } }>(`${path}*`, async (request, reply) => {
    const send = files.get(request.params['*']) ?? missing;
    return send(request, reply);
  });
  refuseOtherMethods(app, `${path}*`, ['GET']);
}

async function notFound(): Promise<FastifyReply> {
  throw new ApiError('NOT_FOUND');
}

export type FileSender = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Returns a handler that sends one file. It reads and compresses the file on the first request. */
export function fileSender(file: URL, form: FileForm): FileSender {
  const { type, cacheControl = 'no-cache', headers = {} } = form;
  let loaded: Promise<LoadedFile> | undefined;
  return async (request, reply) => {
    loaded ??= load(file).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const { plain, gzipped, etag } = await loaded;
    reply.headers({ ...headers, 'Cache-Control': cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.type(type);
    if (!prefersGzip(request.headers['accept-encoding'])) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(gzipped);
  };
}

async function load(file: URL): Promise<LoadedFile> {
  const plain = await readFile(file);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
  // Weak: the compressed bytes and the plain ones share it.
  return { plain, gzipped: await compress(plain), etag: `W/"${hash}"` };
}
