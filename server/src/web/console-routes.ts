import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { refuseOtherMethods } from '../http/listener/server.ts';
import { type FileSender, fileSender, serveFiles } from '../http/routes/served-file.ts';
import type { ConsoleSite } from '../operators/console-site.ts';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const require = createRequire(import.meta.url);

export interface ConsoleDeps {
  site: ConsoleSite;
  /** Origin of the previews that the console shows in a frame. */
  publicUrl: string;
}

/** The files of the web console, and a redirect from the root of the admin listener. All of them are public; the data is not. */
export async function consoleRoutes(app: FastifyInstance, { publicUrl, site }: ConsoleDeps): Promise<void> {
  app.addHook('onRequest', async ({ raw }) => site.requireKnownHost(raw));
  const folder = new URL('dist/', pathToFileURL(require.resolve('@session-launch/console/package.json')));
  const headers = securityHeaders(publicUrl);
  const files = new Map<string, FileSender>();
  for (const name of await readdir(folder)) {
    const type = types[extname(name)];
    if (type === undefined || name.startsWith('.')) continue;
    const isPage = name === 'index.html';
    // The names of all other files contain a digest of their content.
    const cacheControl = isPage ? 'no-store' : 'public, max-age=31536000, immutable';
    files.set(isPage ? '' : name, fileSender(new URL(name, folder), { type, cacheControl, headers }));
  }
  serveFiles(app, '/console/', files);
  // Relative, so that it also works below the path of a proxy.
  for (const [path, location] of [
    ['/', 'console/'],
    ['/console', 'console/'],
  ] as const) {
    app.get(path, async (_request, reply) => reply.redirect(location, 302));
    refuseOtherMethods(app, path, ['GET']);
  }
}

function securityHeaders(publicUrl: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    // The public origin: to find out why the preview is not shown.
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "font-src 'self'",
    `frame-src ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': `microphone=(self "${new URL(publicUrl).origin}"), camera=(), geolocation=(), display-capture=()`,
  };
}
