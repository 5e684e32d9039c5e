import { createRelay, SessionLaunch } from '@session-launch/backend';

/**
 * An application as a function from Request to Response, for platforms that have both: Deno, Bun, workers, or Node through
 * `server.js`. In Next.js, each entry of `routes` below is a route file: `export const POST = relay.mint`, and, for pages of
 * other origins, also `export const OPTIONS = relay.mint`.
 */
export function createApp({ launchUrl, launchKey, projectId, page }) {
  const client = new SessionLaunch({ baseUrl: launchUrl, apiKey: launchKey });
  const relay = createRelay(client, {
    authorize: (request) => {
      // The cookie that was set with the page identifies the visitor. Replace it with your own sign-in.
      const visitor = /(?:^|; )visitor=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1];
      // A `Request` does not contain the client's address, so each visitor needs a limitKey. Take it from your sign-in: a
      // client can send another value of this cookie with every request, and is then not limited.
      return visitor === undefined ? null : { userId: visitor, limitKey: visitor };
    },
    projectId,
  });
  const showPage = () =>
    new Response(page.replaceAll('LAUNCH_URL', launchUrl), {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Set-Cookie': `visitor=${crypto.randomUUID()}; HttpOnly; SameSite=Lax`,
      },
    });
  const routes = {
    '/': showPage,
    '/api/catalog': relay.catalog,
    '/api/launch': relay.mint,
    '/api/leave': relay.end,
  };
  return async (request) => {
    const handler = routes[new URL(request.url).pathname];
    return handler ? handler(request) : new Response('Not found', { status: 404 });
  };
}
