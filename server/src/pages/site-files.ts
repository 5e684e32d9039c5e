import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { matchesEtag } from '../http/etag.ts';
import { refuseOtherMethods } from '../http/server.ts';

const compress = promisify(gzip);

interface SiteFile {
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

/** Serves a file that pages need, from memory once someone has asked for it. */
export function serveSiteFile(app: FastifyInstance, path: string, file: URL, type: string): void {
  let loaded: Promise<SiteFile> | undefined;
  app.get(path, async (request, reply) => {
    loaded ??= load(file).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    const { plain, gzipped, etag } = await loaded;
    // Names stay the same when a new version brings new content, so browsers ask whether their copy still holds.
    reply.headers({ 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding' });
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    reply.type(type);
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain);
    return reply.header('Content-Encoding', 'gzip').send(gzipped);
  });
  refuseOtherMethods(app, path, ['GET']);
}

async function load(file: URL): Promise<SiteFile> {
  const plain = await readFile(file);
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 27);
  // Weak: the compressed bytes and the plain ones share it.
  return { plain, gzipped: await compress(plain), etag: `W/"${hash}"` };
}
