import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Target } from '@session-launch/testing/target.ts';
import { expect } from 'vitest';

/** A request that a receiver got. */
export interface Received {
  eventId: string;
  type: string;
  data: Record<string, unknown>;
  body: string;
  headers: Record<string, string>;
  at: number;
  /** What it was answered; undefined while it was not. */
  status: number | undefined;
}

type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks on the loopback interface. `answer` may be replaced at any time. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Requests that were answered with a 2xx status. */
  accepted(): Received[];
  answer: Answer;
  /** Resolves when the predicate is true. It is evaluated after each request. */
  until(isDone: () => boolean): Promise<void>;
  close(): Promise<void>;
  /** Listens again at the same address. */
  reopen(): Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}, text = ''): Answer =>
  (received, response) => {
    received.status = status;
    response.writeHead(status, headers).end(text);
  };

export async function startReceiver(answer: Answer = answerWith(204)): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const receiver = { received: [] as Received[], answer } as Receiver;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const headers = request.headers as Record<string, string>;
      const { type, data } = JSON.parse(body);
      const eventId = headers['webhook-id']!;
      const one: Received = { eventId, type, data, body, headers, at: performance.now(), status: undefined };
      receiver.received.push(one);
      receiver.answer(one, response, request);
      for (const check of waiting) check();
    });
  });
  server.keepAliveTimeout = 60_000;
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hooks`,
    accepted: () => receiver.received.filter(({ status = 0 }) => status >= 200 && status < 300),
    until: (isDone: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (!isDone()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    reopen: () => listen(port),
  });
}

/** Creates a webhook and returns it, with its secret and a function that calls its routes. */
export async function createWebhook(
  service: Pick<Target, 'admin'>,
  projectId: string,
  {
    url,
    events = ['session.created', 'session.started', 'session.ended'],
  }: { url: string; events?: string[] },
) {
  const path = `/admin/projects/${projectId}/webhooks`;
  const created = await service.admin({ method: 'POST', path, body: { url, events } });
  expect(created.status, created.text).toBe(201);
  const { webhookId, secret } = created.json as { webhookId: string; secret: string };
  const one = `${path}/${webhookId}`;
  return {
    webhookId,
    secret,
    get: async (rest = '') => (await service.admin({ path: one + rest })).json,
    post: (rest: string, body?: object) =>
      service.admin({ method: 'POST', path: one + rest, ...(body && { body }) }),
    patch: (body: object) => service.admin({ method: 'PATCH', path: one, body }),
    remove: () => service.admin({ method: 'DELETE', path: one }),
  };
}
