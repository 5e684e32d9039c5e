import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config.ts';
import type { Runtime } from './runtime.ts';

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** A port of its own, for a runtime that no service hands its sockets to. */
export async function listenAlone(
  config: Pick<Config, 'host' | 'port' | 'token'>,
  runtime: Runtime,
  isReady: () => boolean,
): Promise<Listener> {
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0];
    const say = (status: number, text: string, type = 'text/plain') =>
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
    if (path === '/healthz') say(200, 'ok\n');
    else if (path === '/readyz') say(isReady() ? 200 : 503, isReady() ? 'ready\n' : 'stopping\n');
    else if (path !== '/metrics') say(404, 'not here\n');
    else if (request.headers.authorization !== `Bearer ${config.token}`)
      say(401, 'a bearer token is needed\n');
    else say(200, await runtime.metrics(), 'text/plain; version=0.0.4');
  });
  server.on('upgrade', (request, socket, head) => runtime.upgrade(request, socket, head));
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `ws://${host}:${port}/runtime`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
