import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { listen } from '@session-launch/testing/listen.ts';
import { afterEach, expect, test } from 'vitest';
import { Outbound, type OutboundError, type OutboundRequest } from '../../src/outbound/outbound.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

function outbound(options: Partial<ConstructorParameters<typeof Outbound>[0]> = {}): Outbound {
  const made = new Outbound({ allowPrivate: true, ...options });
  open.push(made);
  return made;
}

async function serve(listener: RequestListener): Promise<{ url: string; server: Server; port: number }> {
  const server = createServer(listener);
  const port = await listen(server);
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { url: `http://127.0.0.1:${port}/`, server, port };
}

/** Also after a reset. */
const isClosed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve());
  });

const limits = { method: 'POST', timeoutMs: 30_000, maxResponseBytes: 1024 } as const;

/** The error of a request that must fail. */
async function failure(sender: Outbound, request: OutboundRequest): Promise<OutboundError> {
  return sender.send(request).then(
    () => expect.fail('the request succeeded'),
    (error: OutboundError) => error,
  );
}

test('sends method, headers and body, and returns status, headers and body', async () => {
  let seen = '';
  const { url } = await serve(async (request, response) => {
    for await (const chunk of request) seen += chunk;
    seen += ` ${request.method} ${request.url} ${request.headers['x-id']} ${request.headers['accept-encoding']}`;
    response.writeHead(418, { 'X-Kind': ['a', 'b'] }).end('short and stout');
  });
  const response = await outbound().send({
    ...limits,
    url: `${url}hooks?a=b`,
    headers: { 'x-id': 'one' },
    body: 'text',
  });
  expect(seen).toBe('text POST /hooks?a=b one identity');
  expect(response).toMatchObject({ status: 418, isTruncated: false });
  expect(response.body.toString()).toBe('short and stout');
  expect(response.headers['x-kind']).toBe('a, b');
});

test('does not follow redirects', async () => {
  let requests = 0;
  const { url } = await serve((_, response) => {
    requests++;
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  });
  expect((await outbound().send({ ...limits, url })).status).toBe(302);
  expect(requests).toBe(1);
});

test('fails after timeoutMs when a receiver accepts and never answers', async () => {
  const server = createTcpServer(() => {});
  const port = await listen(server);
  open.push(server);
  const { failure: why, message } = await failure(outbound(), {
    ...limits,
    url: `http://127.0.0.1:${port}/`,
    timeoutMs: 50,
  });
  expect([why, message]).toEqual(['timeout', 'no complete response within 0.05 s']);
});

test('fails after timeoutMs when a body never ends, and closes the connection', async () => {
  let closed: Promise<unknown> | undefined;
  const { url } = await serve((request, response) => {
    closed = isClosed(request.socket);
    response.write('a');
  });
  expect((await failure(outbound(), { ...limits, url, timeoutMs: 50 })).failure).toBe('timeout');
  await closed;
});

test('fails after timeoutMs when a name does not resolve in time', async () => {
  const resolve = () => new Promise<string[]>(() => {});
  const error = await failure(outbound({ resolve }), {
    ...limits,
    url: 'https://app.example.com/',
    timeoutMs: 50,
  });
  expect(error.failure).toBe('timeout');
});

test('requests to a name that is being resolved wait for the same lookup', async () => {
  const answers: ((addresses: string[]) => void)[] = [];
  const resolve = () => new Promise<string[]>((answered) => answers.push(answered));
  const { port } = await serve((_, response) => response.end('ok'));
  const sender = outbound({ resolve });
  const request = { ...limits, url: `http://app.localhost:${port}/` };
  const hanging = Array.from({ length: 3 }, () => failure(sender, { ...request, timeoutMs: 50 }));
  expect((await Promise.all(hanging)).map((error) => error.failure)).toEqual(Array(3).fill('timeout'));
  const waiting = sender.send(request);
  answers[0]!(['127.0.0.1']);
  expect((await waiting).body.toString()).toBe('ok');
  expect(answers).toHaveLength(1);
});

test('reads no more than maxResponseBytes of an endless body, and closes the connection', async () => {
  let closed: Promise<unknown> | undefined;
  let written = 0;
  const { url } = await serve((request, response) => {
    closed = isClosed(request.socket);
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
    };
    response.on('drain', more);
    more();
  });
  const response = await outbound().send({ ...limits, url, maxResponseBytes: 64 * 1024 });
  expect(response).toMatchObject({ status: 200, isTruncated: true });
  expect(response.body.length).toBe(64 * 1024);
  await closed;
  // What fits into the buffers of both sockets may have been written.
  expect(written).toBeLessThan(16 * 1024 * 1024);
});

test('fails when the headers of a response are larger than 16 KiB', async () => {
  const { url } = await serve((_, response) => {
    response.setHeader('x-long', 'x'.repeat(20 * 1024)).end();
  });
  expect((await failure(outbound(), { ...limits, url })).failure).toBe('network');
});

test('fails when nothing listens', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const error = await failure(outbound(), { ...limits, url: `http://127.0.0.1:${port}/` });
  expect(error).toMatchObject({ failure: 'network', message: expect.stringContaining('ECONNREFUSED') });
});

test('can be aborted', async () => {
  const abort = new AbortController();
  const { url } = await serve(() => abort.abort());
  const error = await failure(outbound(), { ...limits, url, signal: abort.signal });
  expect(error.failure).toBe('aborted');
});

test.for([
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['169.254.169.254'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['1.1.1.1', '127.0.0.1'],
])('rejects a name that resolves to %j', async (addresses) => {
  const resolve = async () => addresses;
  const error = await failure(outbound({ allowPrivate: false, resolve }), {
    ...limits,
    url: 'https://app.example.com/',
  });
  expect(error).toMatchObject({
    failure: 'forbidden',
    message: 'app.example.com resolves to a loopback, private or otherwise reserved address',
  });
});

test('rejects http to a name that resolves to another address than loopback', async () => {
  const error = await failure(outbound({ resolve: async () => ['10.0.0.1'] }), {
    ...limits,
    url: 'http://app.localhost/',
  });
  expect(error.failure).toBe('forbidden');
});

test('rejects an address in the URL without a connection', async () => {
  let requests = 0;
  const { port } = await serve(() => requests++);
  const error = await failure(outbound({ allowPrivate: false }), {
    ...limits,
    url: `https://127.0.0.1:${port}/`,
  });
  expect(error.failure).toBe('forbidden');
  expect(requests).toBe(0);
});

test('resolves a name once per connection, and connects to that address', async () => {
  let resolved = 0;
  // A second resolution would lead to a private address.
  const resolve = async () => (resolved++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
  const { port } = await serve((_, response) => {
    response.setHeader('connection', 'close').end('ok');
  });
  const sender = outbound({ resolve });
  const request = { ...limits, url: `http://app.localhost:${port}/` };
  expect((await sender.send(request)).body.toString()).toBe('ok');
  expect(resolved).toBe(1);
  expect((await failure(sender, request)).failure).toBe('forbidden');
  expect(resolved).toBe(2);
});

test('a response that breaks off is a failure', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('part');
    setImmediate(() => request.socket.destroy());
  });
  expect((await failure(outbound(), { ...limits, url })).failure).toBe('network');
});
