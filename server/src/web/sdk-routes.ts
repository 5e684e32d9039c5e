import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveFile } from '../http/routes/served-file.ts';

const script = 'text/javascript; charset=utf-8';
const files: Record<string, string> = {
  'session-launch.js': script,
  'session-launch.mjs': script,
  'picture.mjs': script,
  'worklet.js': script,
  'opus.js': script,
  'livekit.mjs': script,
  'integrity.json': 'application/json; charset=utf-8',
};

/** Pages of any origin may load the files, including cross-origin isolated ones. */
const headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** For URLs with the major version: pages receive fixes within minutes. */
const ofMajor = 'public, max-age=300, stale-while-revalidate=86400';
/** For URLs with the full version, whose content never changes. */
const ofVersion = 'public, max-age=31536000, immutable';

/** Serves the browser SDK from its package, under its major and its full version. */
export async function sdkRoutes(app: FastifyInstance): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('@session-launch/browser/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = new URL('dist/', pathToFileURL(manifest));
  for (const [name, type] of Object.entries(files)) {
    const file = new URL(name, folder);
    const major = `/sdk/v${version.split('.')[0]}/${name}`;
    serveFile(app, major, file, { type, headers, cacheControl: ofMajor });
    serveFile(app, `/sdk/${version}/${name}`, file, { type, headers, cacheControl: ofVersion });
  }
}
