import { readFile, stat } from 'node:fs/promises';
import type { BlockList } from 'node:net';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Gallery, GalleryFile } from '../art/gallery.ts';
import type { Resizer } from '../art/resizer.ts';
import { untilAnswered } from '../http/listener/in-flight.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { Client } from '../limits/client-address.ts';
import { ApiError, invalidRequest } from '../primitives/errors.ts';
import { matchesEtag } from '../primitives/etag.ts';
import { type AssetFolder, assetFolders, locate } from './asset-files.ts';

export interface AssetDeps {
  /** The folder that contains `avatars/` and `locations/`. */
  assetsDir: string;
  /** The uploaded pictures and faces. */
  gallery: Gallery;
  resizer: Resizer;
  trustProxy: BlockList | undefined;
  /** Pages of other origins cannot use the files: for the admin listener. */
  isSameOriginOnly?: boolean;
}

/**
 * Fresh for a day, stale-while-revalidate for a week. Not `immutable`: an asset keeps its name when its creator replaces it, so caches
 * must revalidate; the ETag makes that cheap.
 */
const cacheControl = 'public, max-age=86400, stale-while-revalidate=604800';

/** The path of an uploaded picture contains the hash of its content. */
const cacheForGood = 'public, max-age=31536000, immutable';

/** For an original that is sent because the picture could not be resized now. */
const cacheBriefly = 'public, max-age=60';

/** Maximum concurrent downloads: each holds a file descriptor or a buffer until its client has read everything. */
export const maxOpenFiles = 128;

/** Files of the asset folder that are larger are not resized. */
const maxResizableBytes = 16 * 1024 * 1024;

/** Widths that `?w=` accepts, in pixels. */
const minWidth = 160;
const maxWidth = 1_280;

// An SVG or HTML file opened directly would run in this origin; the sandbox prevents its scripts.
const sandbox = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" };
// Galleries and players on other origins load these files.
const forAllOrigins = {
  ...sandbox,
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const forOwnOrigin = { ...sandbox, 'Cross-Origin-Resource-Policy': 'same-origin' };

/** Serves uploaded pictures and faces, and files of the asset folder such as `/avatars/ines/thumb.svg`. */
export async function assetRoutes(app: FastifyInstance, deps: AssetDeps): Promise<void> {
  const { assetsDir, gallery, resizer, trustProxy } = deps;
  await app.register(fastifyStatic, { serve: false, cacheControl: false, index: false });
  const headers = deps.isSameOriginOnly ? forOwnOrigin : forAllOrigins;
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  const errorHandler = (error: SendError, request: FastifyRequest, reply: FastifyReply) =>
    isConditionFailed(error)
      ? reply
          .code(error.statusCode)
          .headers(error.headers ?? {})
          .removeHeader('Cache-Control')
          .send()
      : app.errorHandler(error, request, reply);

  for (const folder of assetFolders) {
    const root = join(assetsDir, folder);
    if (!(await isFolder(root))) {
      app.log.warn({ folder: root }, 'this asset folder is missing; set ASSETS_DIR to a folder that has it');
    }
    const path = `/${folder}/*`;
    app.get<{ Params: { '*': string } }>(path, { errorHandler }, async (request, reply) => {
      const name = request.params['*'];
      const width = widthOf(request);
      const art = await gallery.find(`/${folder}/${name}`, new Client(request.raw, trustProxy));
      const source = art ? ofArt(gallery, art) : await ofFile(assetsDir, folder, name);
      if (source === undefined) throw new ApiError('NOT_FOUND');
      // The client may have disconnected in the meantime.
      if (request.raw.socket.destroyed) return;
      reply.header('Cache-Control', source.cacheControl);
      const isSent =
        width !== undefined &&
        source.isResizable &&
        (await sendResized(resizer, source, width, request, reply));
      if (!isSent) await source.send(request, reply);
      await untilAnswered(reply.raw);
    });
    refuseOtherMethods(app, path, ['GET']);
  }
}

/** A file to serve. */
interface Source {
  /** Changes when the content changes. */
  tag: string;
  cacheControl: string;
  isResizable: boolean;
  read(): Promise<Buffer | undefined>;
  send(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
}

function ofArt(gallery: Gallery, art: GalleryFile): Source {
  return {
    tag: art.tag,
    cacheControl: cacheForGood,
    isResizable: art.type.startsWith('image/') && art.type !== 'image/svg+xml',
    read: () => gallery.read(art),
    send: async (request, reply) => {
      const etag = `"${art.tag}"`;
      reply.header('ETag', etag);
      if (matchesEtag(request.headers['if-none-match'], etag)) return void reply.code(304).send();
      const content = await gallery.read(art);
      if (content === undefined) throw new ApiError('NOT_FOUND');
      reply.type(art.type).send(content);
    },
  };
}

async function ofFile(assetsDir: string, folder: AssetFolder, name: string): Promise<Source | undefined> {
  const file = await locate(assetsDir, folder, name);
  if (file === undefined) return undefined;
  const { size, mtimeMs, ino } = file.stats;
  return {
    tag: `${size.toString(16)}-${ino.toString(16)}-${Math.round(mtimeMs).toString(16)}`,
    cacheControl,
    isResizable: /\.(png|jpe?g|webp|avif)$/i.test(name) && size <= maxResizableBytes,
    read: () => readFile(file.path),
    send: (_request, reply) => void reply.sendFile(name, join(assetsDir, folder)),
  };
}

/** Sends a picture in this width as WebP. Returns false if the original is to be sent instead. */
async function sendResized(
  resizer: Resizer,
  source: Source,
  width: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  // Weak: another version of the encoder makes other bytes of the same picture.
  const etag = `W/"${source.tag}-w${width}"`;
  if (matchesEtag(request.headers['if-none-match'], etag)) {
    reply.header('ETag', etag).code(304).send();
    return true;
  }
  const result = await resizer.resize(source.tag, width, source.read);
  if (typeof result === 'object') reply.header('ETag', etag).type('image/webp').send(result.webp);
  else if (result === 'original-for-now') reply.header('Cache-Control', cacheBriefly);
  return typeof result === 'object';
}

/** The width that the query asks for. */
function widthOf({ query }: FastifyRequest): number | undefined {
  const { w } = query as { w?: unknown };
  if (w === undefined) return undefined;
  const width = typeof w === 'string' && /^[1-9]\d{2,3}$/.test(w) ? Number(w) : 0;
  if (width >= minWidth && width <= maxWidth) return width;
  throw invalidRequest([{ path: 'w', message: `must be a whole number from ${minWidth} to ${maxWidth}` }]);
}

type SendError = FastifyError & { headers?: Record<string, string> };

/** A failed precondition (412) or an unsatisfiable range (416): a status without a body. */
function isConditionFailed(error: SendError): error is SendError & { statusCode: 412 | 416 } {
  return error.statusCode === 412 || error.statusCode === 416;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
