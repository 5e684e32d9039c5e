import { once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { send } from '@session-launch/testing/http.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import express from 'express';
import fastify from 'fastify';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createRelay,
  incomingOf,
  type Relay,
  SessionLaunch,
  toExpress,
  toFastify,
  toNode,
} from '../src/index.ts';
import { listen, scriptedServer } from './scripted-server.ts';

const service = deployedService();
let world: World;
let client: SessionLaunch;
let relay: Relay;

beforeAll(async () => {
  world = await createWorld(service);
  client = new SessionLaunch({ baseUrl: service.url, apiKey: world.key });
  relay = createRelay(client, { authorize: () => ({ userId: 'ann' }), limit: false });
});

/** Servers with two routes: /mint accepts JSON, /end accepts text. */
const applications: Record<string, (relay: Relay) => Promise<string>> = {
  'node:http': async ({ mint, end }) =>
    listen((request, response) => void toNode(request.url === '/mint' ? mint : end)(request, response)),
  'node:http with a parsed body': async ({ mint, end }) =>
    listen(async (request, response) => {
      const chunks = await request.toArray();
      const text = Buffer.concat(chunks).toString();
      const isJson = request.headers['content-type'] === 'application/json';
      Object.assign(request, { body: isJson ? parsed(text) : text });
      await toNode(request.url === '/mint' ? mint : end)(request, response);
    }),
  Express: async (relay) => listen(expressApp(express(), relay)),
  'Express behind parsers': async (relay) => {
    const app = express();
    app.use(express.json(), express.text(), express.urlencoded());
    return listen(expressApp(app, relay));
  },
  'Express behind a raw body parser': async (relay) => {
    const app = express();
    app.use(express.raw({ type: '*/*' }));
    return listen(expressApp(app, relay));
  },
  Fastify: async ({ mint, end }) => {
    const app = fastify();
    app.post('/mint', toFastify(mint));
    app.post('/end', toFastify(end));
    await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  },
};

function expressApp(app: express.Express, { mint, end }: Relay): express.Express {
  app.post('/mint', toExpress(mint));
  app.post('/end', toExpress(end));
  return app;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

describe.each(Object.entries(applications))('%s', (_name, start) => {
  test('launches and ends', async () => {
    const url = await start(relay);
    const headers = { Origin: url };
    const body = { experienceId: world.experienceId, locale: 'de-CH', userId: 'ann' };
    const minted = await send(url, { method: 'POST', path: '/mint', headers, body });
    expect(minted.status, minted.text).toBe(200);
    expect(minted.json).toMatchObject({ locale: 'de-CH', user: { userId: 'ann' } });
    expect(minted.headers['cache-control']).toBe('no-store, private');
    const beacon = { ...headers, 'Content-Type': 'text/plain;charset=UTF-8' };
    const ended = await send(url, {
      method: 'POST',
      path: '/end',
      headers: beacon,
      body: minted.json.sessionToken,
    });
    expect(ended.status, ended.text).toBe(204);
    expect(await client.sessions.get(minted.json.sessionId)).toMatchObject({ status: 'ended' });
  });

  test('rejects bodies that are too long or empty, and requests from other origins', async () => {
    const url = await start(relay);
    const post = (body: string, origin = url) =>
      send(url, {
        method: 'POST',
        path: '/mint',
        headers: { Origin: origin, 'Content-Type': 'application/json' },
        body,
      });
    const long = await post(JSON.stringify({ experienceId: world.experienceId, locale: 'x'.repeat(20_000) }));
    expect(long.status, long.text).toBe(413);
    expect((await post('')).status).toBe(400);
    expect((await post('{}', 'https://evil.example')).status).toBe(403);
  });

  test('counts requests by the caller’s address', async () => {
    const url = await start(createRelay(client, { authorize: () => ({}), limit: { perMinute: 1 } }));
    const mint = (localAddress: string) =>
      send(url, {
        method: 'POST',
        path: '/mint',
        headers: { Origin: url, 'X-Forwarded-For': '10.0.0.9' },
        body: { experienceId: world.experienceId },
        localAddress,
      });
    expect((await mint('127.0.0.1')).status).toBe(200);
    expect((await mint('127.0.0.1')).status).toBe(429);
  });
});

test('the address is read from the header of a proxy that Express or Fastify trusts', async () => {
  const counting = () => createRelay(client, { authorize: () => ({}), limit: { perMinute: 1 } });
  const app = express().set('trust proxy', true);
  app.post('/mint', toExpress(counting().mint));
  const fast = fastify({ trustProxy: true });
  fast.post('/mint', toFastify(counting().mint));
  await fast.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => fast.close());
  for (const url of [await listen(app), `http://127.0.0.1:${(fast.server.address() as AddressInfo).port}`]) {
    const mint = async (address: string) => {
      const headers = { Origin: url, 'X-Forwarded-For': address };
      const body = { experienceId: world.experienceId };
      return (await send(url, { method: 'POST', path: '/mint', headers, body })).status;
    };
    expect([await mint('10.0.0.1'), await mint('10.0.0.1'), await mint('10.0.0.2')]).toEqual([200, 429, 200]);
    // One client typically has a whole IPv6 network, so its addresses share a limit.
    expect([
      await mint('2001:db8::1'),
      await mint('2001:db8:0:0:f::2'),
      await mint('2001:db8:0:1::1'),
    ]).toEqual([200, 429, 200]);
  }
});

test('authorize can access the framework’s request and its session', async () => {
  const own = createRelay(client, {
    authorize: (request) =>
      incomingOf<{ user?: { id: string } }>(request)?.user?.id === 'eve' ? { userId: 'eve' } : null,
  });
  const app = express();
  app.use((request, _response, next) => {
    Object.assign(request, { user: { id: 'eve' } });
    next();
  });
  app.post('/mint', toExpress(own.mint));
  const url = await listen(app);
  const body = { experienceId: world.experienceId };
  const answer = await send(url, { method: 'POST', path: '/mint', headers: { Origin: url }, body });
  expect(answer.json.user).toEqual({ userId: 'eve' });
});

test('a caller that aborts in the middle of a body does not affect other requests', async () => {
  const url = await applications['node:http']?.(relay);
  const controller = new AbortController();
  const body = new ReadableStream({
    start: (stream) => {
      stream.enqueue(new TextEncoder().encode('{"exp'));
      setTimeout(() => controller.abort(), 50);
    },
  });
  const init = {
    method: 'POST',
    body,
    duplex: 'half',
    signal: controller.signal,
    headers: { Origin: url ?? '' },
  };
  await expect(fetch(`${url}/mint`, init as RequestInit)).rejects.toThrow();
  const minted = await send(url ?? '', {
    method: 'POST',
    path: '/mint',
    headers: { Origin: url ?? '' },
    body: { experienceId: world.experienceId },
  });
  expect(minted.status).toBe(200);
});

test('a relay handler can be used directly as a Next.js route', async () => {
  const { mint: POST } = relay;
  const init = {
    method: 'POST',
    headers: { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
    body: JSON.stringify({ experienceId: world.experienceId }),
  };
  const answer: Response = await POST(new Request('https://app.example.com/api/launch', init));
  expect(answer.status).toBe(200);
});

describe('requests that cannot be converted to a Request', () => {
  const mounted: Record<string, () => Promise<string>> = {
    'node:http': async () => (await applications['node:http']?.(relay)) ?? '',
    Express: async () => listen(express().use(toExpress(relay.mint))),
    Fastify: async () => {
      const app = fastify();
      app.all('/*', toFastify(relay.mint));
      app.setNotFoundHandler(toFastify(relay.mint));
      onTestFinished(() => app.close());
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
  };

  describe.each(Object.entries(mounted))('%s', (_name, start) => {
    test('TRACE is answered with 405', async () => {
      const answer = await send(await start(), { method: 'TRACE', path: '/mint' });
      expect([answer.status, answer.json.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED']);
      expect(answer.headers.allow).toContain('POST');
    });

    test.each(['user:secret@host', 'two words', 'host:port', '[::1'])(
      'a Host of %j is answered with 400',
      async (Host) => {
        const answer = await send(await start(), {
          method: 'POST',
          path: '/mint',
          headers: { Host },
          body: {},
        });
        expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_REQUEST']);
      },
    );

    test('an absolute URL in the request line is accepted', async () => {
      const url = await start();
      const answer = await raw(url, `POST ${url}/mint HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    });
  });

  test('CONNECT is answered with 405', async () => {
    const server = createServer();
    server.on('connect', (request, socket) => {
      const response = new ServerResponse(request);
      response.assignSocket(socket as Socket);
      response.on('finish', () => socket.end());
      void toNode(relay.mint)(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const answer = await raw(
      `http://127.0.0.1:${port}`,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });
});

test('a mint is aborted when the caller disconnects', async () => {
  const { url: silent, received } = await scriptedServer(() => {});
  const waiting = new SessionLaunch({ baseUrl: silent, apiKey: world.key, timeoutMs: 60_000 });
  let answered: Promise<Response> | undefined;
  const { mint } = createRelay(waiting, { authorize: () => ({ userId: 'ann' }) });
  const url = await listen((request, response) => {
    void toNode((one) => {
      answered = mint(one);
      return answered;
    })(request, response);
  });
  const controller = new AbortController();
  const call = fetch(`${url}/mint`, {
    method: 'POST',
    signal: controller.signal,
    headers: { Origin: url, 'Content-Type': 'application/json' },
    body: JSON.stringify({ experienceId: world.experienceId }),
  });
  await expect.poll(() => received.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toThrow();
  expect((await answered)?.status).toBe(503);
  expect(received).toHaveLength(1);
});

/** Sends a request head unchanged and reads until the server closes the connection. */
async function raw(url: string, head: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
  return Buffer.concat(await socket.toArray()).toString();
}
