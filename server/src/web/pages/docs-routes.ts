import { readdir } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { version } from '../../config/version.ts';
import { refuseOtherMethods } from '../../http/listener/server.ts';
import { type FileSender, fileSender, serveFiles } from '../../http/routes/served-file.ts';
import { ApiError } from '../../primitives/errors.ts';
import { missingPage } from './missing-page.ts';
import { pageHeaders, sendPage, strictPolicy } from './page-headers.ts';

/** Written by docs/build.mjs. */
const folder = fileURLToPath(new URL('../../../dist/docs/', import.meta.url));

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webp': 'image/webp',
};

const policy = strictPolicy();
const headers = pageHeaders(policy);

/** The documentation of this version, at `/docs/`. Only files that exist at the start are served. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  const files = await filesBelow(folder);
  if (files.size === 0) app.log.warn({ folder }, 'the documentation is missing; npm run build creates it');
  serveFiles(app, '/docs/', files, sendMissing);
  // Relative, so that it also works below the path of a proxy.
  app.get('/docs', async (_request, reply) => reply.redirect('docs/', 302));
  refuseOtherMethods(app, '/docs', ['GET']);
}

/** Answers a browser with a page, and every other client with an error. */
async function sendMissing(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('Vary', 'Accept');
  if (!request.headers.accept?.includes('text/html')) throw new ApiError('NOT_FOUND');
  // Not decoded, as the browser resolves relative addresses.
  const [path = ''] = request.url.split('?', 1);
  const depth = path.split('/').length - '/docs/'.split('/').length;
  return sendPage(reply.code(404), policy, missingPage('../'.repeat(depth) || './', version));
}

/** Maps each address below `/docs/` to its file. Pages have no extension; an index has the address of its folder. */
async function filesBelow(root: string): Promise<Map<string, FileSender>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const address = path.slice(root.length).replaceAll(sep, '/');
      const type = types[extname(name)] ?? 'text/plain; charset=utf-8';
      return [
        address.replace(/(^|\/)index\.html$|\.html$/, '$1'),
        fileSender(pathToFileURL(path), { type, headers }),
      ] as const;
    });
  return new Map(files);
}
