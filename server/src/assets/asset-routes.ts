import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { untilAnswered } from '../http/listener/in-flight.ts';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { ApiError } from '../primitives/errors.ts';

export interface AssetDeps {
  /** The folder that contains `avatars/` and `locations/`. */
  assetsDir: string;
}

const folders = ['avatars', 'locations'] as const;

/**
 * Fresh for a day, stale-while-revalidate for a week. Not `immutable`: an asset keeps its name when its creator replaces it, so caches
 * must revalidate; the ETag makes that cheap.
 */
const cacheControl = 'public, max-age=86400, stale-while-revalidate=604800';

/** Maximum concurrent downloads: each holds a file descriptor until its client has read everything. */
export const maxOpenFiles = 128;

const commonHeaders = {
  // Galleries and players on other origins load these files.
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // An SVG or HTML file opened directly would run in this origin; the sandbox prevents its scripts.
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** Serves catalog paths such as `/avatars/ines/thumb.svg`. */
export async function assetRoutes(app: FastifyInstance, { assetsDir }: AssetDeps): Promise<void> {
  await app.register(fastifyStatic, { serve: false, cacheControl: false, index: false });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(commonHeaders);
  });
  const errorHandler = (error: SendError, request: FastifyRequest, reply: FastifyReply) =>
    isConditionFailed(error)
      ? reply
          .code(error.statusCode)
          .headers(error.headers ?? {})
          .removeHeader('Cache-Control')
          .send()
      : app.errorHandler(error, request, reply);

  for (const folder of folders) {
    const root = join(assetsDir, folder);
    if (!(await isFolder(root))) {
      app.log.warn({ folder: root }, 'this asset folder is missing; set ASSETS_DIR to a folder that has it');
    }
    const path = `/${folder}/*`;
    app.get<{ Params: { '*': string } }>(path, { errorHandler }, async (request, reply) => {
      const file = request.params['*'];
      if (!isPlain(file) || !(await staysInside([assetsDir, root], join(root, file)))) {
        throw new ApiError('NOT_FOUND');
      }
      // The client may have disconnected while the file was opened.
      if (request.raw.socket.destroyed) return;
      reply.header('Cache-Control', cacheControl).sendFile(file, root);
      await untilAnswered(reply.raw);
    });
    refuseOtherMethods(app, path, ['GET']);
  }
}

type SendError = FastifyError & { headers?: Record<string, string> };

/** A failed precondition (412) or an unsatisfiable range (416): a status without a body. */
function isConditionFailed(error: SendError): error is SendError & { statusCode: 412 | 416 } {
  return error.statusCode === 412 || error.statusCode === 416;
}

/** Accepts only plain file names below folders: no `.` or `..`, no hidden file, no other separator. */
function isPlain(path: string): boolean {
  return path.split('/').every((name) => name !== '' && !name.startsWith('.') && !/[\\\0]/.test(name));
}

/** Symbolic links may point inside the asset folder (which may itself be a link) but not out of it. */
async function staysInside(folders: string[], path: string): Promise<boolean> {
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined || !(await isFile(target))) return false;
  const roots = await Promise.all(folders.map((folder) => realpath(folder)));
  return roots.some((root) => target.startsWith(root + sep));
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
