import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, BlockList } from 'node:net';
import type { Duplex } from 'node:stream';
import { rtviPath, runtimePath } from '@session-launch/contract/wire';
import { bearerCheck } from '@session-launch/process/bearer-token';
import { networkOf } from '@session-launch/process/client-address';
import type { Config } from './config.ts';
import type { Runtime } from './runtime.ts';

export interface Listener {
  url: string;
  close(): Promise<void>;
}

type ListenerConfig = Pick<Config, 'host' | 'port' | 'token' | 'maxSessions'> & {
  trustProxy?: BlockList | undefined;
};

/** Connections reserved for health checks and metrics, in addition to those of sessions and of clients before their `hello`. */
const spareConnections = 200;

/** Starts an HTTP listener, for a runtime that runs without a service process on the same machine. */
export async function listenStandalone(
  config: ListenerConfig,
  runtime: Runtime,
  isReady: () => boolean,
): Promise<Listener> {
  const isToken = bearerCheck([config.token]);
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1000 },
    (request, response) => {
      answer(request, response, { runtime, isReady, isToken }).catch(() => response.destroy());
    },
  );
  // Clients before their `hello` may hold as many connections as sessions do.
  server.maxConnections = 2 * config.maxSessions + spareConnections;
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    if (![runtimePath, rtviPath].includes(pathOf(request))) return refuse(socket);
    const { method, url, headers } = request;
    runtime.upgrade({ method, url, headers, client: networkOf(request, config.trustProxy) }, socket, head);
  });
  server.listen(config.port, config.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `ws://${host}:${port}${runtimePath}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface AnswerDeps {
  runtime: Runtime;
  isReady: () => boolean;
  isToken: (authorization: string | undefined) => boolean;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { runtime, isReady, isToken }: AnswerDeps,
): Promise<void> {
  const send = (status: number, text: string, type = 'text/plain') =>
    response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
  const path = pathOf(request);
  if (path === '/healthz') send(200, 'ok\n');
  else if (path === '/readyz') send(isReady() ? 200 : 503, isReady() ? 'ready\n' : 'stopping\n');
  else if (path !== '/metrics') send(404, 'not found\n');
  else if (!isToken(request.headers.authorization)) send(401, 'a bearer token is required\n');
  else send(200, await runtime.metrics(), 'text/plain; version=0.0.4');
}

/** Sends a 404 and destroys the socket. It is half-open: without `destroy` it stays open until the client closes its side. */
function refuse(socket: Duplex): void {
  socket.once('finish', () => socket.destroy());
  socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}
