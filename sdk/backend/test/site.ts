import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { createRelay, type Handler, type RelayOptions, type SessionLaunch, toNode } from '../src/index.ts';
import { listen } from './scripted-server.ts';

export interface Site {
  url: string;
  call(call: Call): Promise<Answer>;
  /** Sends a mint request as a script on a page of this site does. */
  mint(body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Returns the signed-in user from a header that replaces a cookie. */
export function signedIn(request: Request): { userId: string } | null {
  const userId = request.headers.get('X-User');
  return userId === null ? null : { userId };
}

/** Starts an HTTP server with a relay. */
export async function startSite(client: SessionLaunch, options: RelayOptions): Promise<Site> {
  const relay = createRelay(client, options);
  const handlers: Record<string, Handler> = {
    '/mint': relay.mint,
    '/end': relay.end,
    '/catalog': relay.catalog,
  };
  const url = await listen((request, response) => {
    const handler = handlers[request.url ?? ''];
    if (handler) void toNode(handler)(request, response);
    else response.writeHead(404).end();
  });
  return {
    url,
    call: (call) => send(url, call),
    mint: (body, headers) =>
      send(url, {
        method: 'POST',
        path: '/mint',
        headers: { Origin: url, 'Content-Type': 'application/json', 'X-User': 'ann', ...headers },
        body,
      }),
  };
}
