import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Reply = (response: ServerResponse, request: Received) => void;

/** Answers each request with the next reply and repeats the last one. For responses that a healthy service does not send. */
export async function scriptedServer(...replies: Reply[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const url = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const one = { method, url: path, headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      replies[Math.min(received.length, replies.length) - 1]?.(response, one);
    });
  });
  return { url, received };
}

/** Starts a node:http server that is closed when the test ends. */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function failure(status: number, code: string, headers: Record<string, string> = {}): Reply {
  return json(status, { error: { code, message: `It is ${code}.`, requestId: 'req_test' } }, headers);
}

/** Returns a URL at which no server listens. */
export async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}
