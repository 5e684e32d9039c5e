import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Catalog } from '../../catalog/catalog.ts';
import { isLoopback } from '../../config/values.ts';
import { version } from '../../config/version.ts';
import type { Directory } from '../../content/directory.ts';
import { refuseOtherMethods } from '../../http/listener/server.ts';
import { type HealthDeps, whyNotReady } from '../../http/routes/health-routes.ts';
import { serveFile } from '../../http/routes/served-file.ts';
import { requestFields } from '../../observe/trace.ts';
import { type DemoCard, demoCards } from './demo-cards.ts';
import { docsRoutes } from './docs-routes.ts';
import { landingPage } from './landing-page.ts';
import { sendPage, strictPolicy } from './page-headers.ts';
import { previewPage } from './preview-page.ts';
import { referencePage } from './reference-page.ts';

export interface PageDeps extends HealthDeps {
  catalog: Catalog;
  directory: Directory;
  /** The project shown on the page; absent if the service runs without the demo. */
  demoProjectId: string | undefined;
  baseUrl: () => string;
  /** The URL of the runtime for demo sessions; absent if there is none. */
  runtimeUrl: () => string | undefined;
  /** The origins of the console, which shows the preview page in a frame. */
  consoleOrigins: () => string[];
}

/** The strict policy, but art and runtime are wherever the previewed revision has them, and the console may show the page in a frame. */
const previewPolicy = (baseUrl: string, ancestors: string[]) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self' ${new URL(baseUrl).origin} https: ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`;
/** Scalar injects inline styles, hence 'unsafe-inline' for styles only. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const site = new URL('../../../site/', import.meta.url);
const siteFiles = [
  'site.css',
  'landing.css',
  'landing.js',
  'copy.js',
  'talk.js',
  'docs.css',
  'docs.js',
  'reference.css',
  'reference.js',
  'before-scalar.js',
  'preview.css',
  'preview.js',
  'icon.svg',
  'voice.svg',
];
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const typeOf = (name: string) => types[name.slice(name.lastIndexOf('.'))] as string;
const require = createRequire(import.meta.url);
const scalar = pathToFileURL(require.resolve('@scalar/fastify-api-reference'));

/** The landing page, the documentation and the API reference. */
export async function pageRoutes(app: FastifyInstance, deps: PageDeps): Promise<void> {
  app.get('/', async (request, reply) => {
    const [problem, cards] = await Promise.all([
      whyNotReady(deps),
      shownCards(deps).catch((error: unknown) => {
        request.log.warn({ ...requestFields(request), err: error }, 'the demo catalog cannot be shown');
        return [];
      }),
    ]);
    const { engine } = deps.database;
    const baseUrl = deps.baseUrl();
    const runtimeUrl = deps.runtimeUrl();
    const page = landingPage({
      version,
      engine,
      baseUrl,
      problem,
      cards,
      talks: runtimeUrl !== undefined,
      consoleUrl: consoleUrl(request.headers, deps.consoleOrigins()),
    });
    const connect = ["'self'", ...(runtimeUrl === undefined ? [] : [new URL(runtimeUrl).origin])];
    // The page may be opened under another host name than the one in manifests; allow both.
    if (new URL(baseUrl).host !== request.headers.host) connect.push(new URL(baseUrl).origin);
    return sendPage(reply, strictPolicy(connect), page);
  });
  refuseOtherMethods(app, '/', ['GET']);

  app.get('/preview/', async (_request, reply) =>
    sendPage(reply, previewPolicy(deps.baseUrl(), deps.consoleOrigins()), previewPage),
  );
  refuseOtherMethods(app, '/preview/', ['GET']);

  app.get('/reference', async (_request, reply) => sendPage(reply, referencePolicy, referencePage));
  refuseOtherMethods(app, '/reference', ['GET']);

  await app.register(docsRoutes);

  for (const name of siteFiles) serveFile(app, `/site/${name}`, new URL(name, site), { type: typeOf(name) });
  serveFile(app, '/site/scalar.js', new URL('js/standalone.js', scalar), { type: typeOf('.js') });
  // Browsers request it for any address that is opened, page or not.
  serveFile(app, '/favicon.ico', new URL('icon.svg', site), { type: typeOf('.svg') });
}

/** The address of the console under the loopback name that the visitor uses; `undefined` for visitors of other machines. */
function consoleUrl(headers: IncomingHttpHeaders, origins: readonly string[]): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  const visited = `http://${headers.host}`;
  if (isForwarded || !URL.canParse(visited)) return undefined;
  const { hostname } = new URL(visited);
  if (!isLoopback(hostname)) return undefined;
  const origin = origins.find((one) => new URL(one).hostname === hostname);
  return origin === undefined ? undefined : `${origin}/console/`;
}

function shownCards(deps: PageDeps): Promise<DemoCard[]> {
  return deps.demoProjectId === undefined ? Promise.resolve([]) : demoCards(deps, deps.demoProjectId);
}
