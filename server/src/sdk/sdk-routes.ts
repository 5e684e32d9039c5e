import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { serveFile } from '../http/routes/served-file.ts';

const script = 'text/javascript; charset=utf-8';
const files: Record<string, string> = {
  'session-launch.js': script,
  'session-launch.mjs': script,
  'worklet.js': script,
  'integrity.json': 'application/json; charset=utf-8',
};

/** Pages of any origin load them, and those that ask for isolation, too. */
const headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** A page that names the major version gets fixes within minutes. */
const ofMajor = 'public, max-age=300, stale-while-revalidate=86400';
/** One that names the version gets the same bytes for ever. */
const ofVersion = 'public, max-age=31536000, immutable';

/** The browser SDK, from its package: files of this version under two names. */
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
