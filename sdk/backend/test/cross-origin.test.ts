import { deployedService } from '@session-launch/testing/deployment.ts';
import { type Answer, type Call, send } from '@session-launch/testing/http.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import express from 'express';
import fastify from 'fastify';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createRelay, type Relay, SessionLaunch, toExpress, toFastify, toNode } from '../src/index.ts';
import { listen } from './scripted-server.ts';
import { signedIn } from './site.ts';

const service = deployedService();
const page = 'https://app.example.com';
const stranger = 'https://evil.example';
let world: World;
let client: SessionLaunch;

beforeAll(async () => {
  world = await createWorld(service);
  client = new SessionLaunch({ baseUrl: service.url, apiKey: world.key });
});

function relayFor(options = {}): Relay {
  return createRelay(client, {
    authorize: signedIn,
    origins: [page, 'https://other.example'],
    projectId: world.projectId,
    limit: false,
    ...options,
  });
}

/** Mounted as in the guide, so that preflights reach the relay. */
const applications: Record<string, (relay: Relay) => Promise<string>> = {
  'node:http': async ({ mint, end, catalog }) => {
    const handlers: Record<string, Relay['mint']> = { '/mint': mint, '/end': end, '/catalog': catalog };
    return listen((request, response) => void toNode(handlers[request.url ?? ''] ?? mint)(request, response));
  },
  Express: async ({ mint, end, catalog }) => {
    const app = express();
    app.use(express.json());
    app.all('/mint', toExpress(mint));
    app.all('/end', toExpress(end));
    app.all('/catalog', toExpress(catalog));
    return listen(app);
  },
  Fastify: async ({ mint, end, catalog }) => {
    const app = fastify();
    app.all('/mint', toFastify(mint));
    app.all('/end', toFastify(end));
    app.all('/catalog', toFastify(catalog));
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  'a server with fetch handlers': async ({ mint, end, catalog }) => {
    const handlers: Record<string, Relay['mint']> = { '/mint': mint, '/end': end, '/catalog': catalog };
    const app = async (request: Request) => (handlers[new URL(request.url).pathname] ?? mint)(request);
    return listen((request, response) => void toNode(app)(request, response));
  },
};

function preflight(path: string, origin: string, method = 'POST'): Call {
  return {
    method: 'OPTIONS',
    path,
    headers: {
      Origin: origin,
      'Sec-Fetch-Site': 'cross-site',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': 'content-type,idempotency-key',
    },
  };
}

function mint(origin = page, headers = {}): Call {
  return {
    method: 'POST',
    path: '/mint',
    headers: { Origin: origin, 'Sec-Fetch-Site': 'cross-site', 'X-User': 'ann', ...headers },
    body: { experienceId: world.experienceId },
  };
}

function expectReadable({ headers }: Answer): void {
  expect(headers['access-control-allow-origin']).toBe(page);
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  expect(listed(headers['access-control-expose-headers'])).toEqual(
    expect.arrayContaining(['retry-after', 'idempotent-replayed', 'x-request-id']),
  );
  expect(listed(headers.vary)).toContain('origin');
}

function expectUnreadable({ headers }: Answer): void {
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
}

function listed(header: string | string[] | undefined): string[] {
  return String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

describe.each(Object.entries(applications))('%s', (_name, start) => {
  test.each([
    ['/mint', 'POST'],
    ['/end', 'POST'],
    ['/catalog', 'GET'],
  ])('answers the preflight of a listed origin for %s', async (path, method) => {
    const answer = await send(await start(relayFor()), preflight(path, page, method));
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectReadable(answer);
    const { headers } = answer;
    expect(headers['access-control-allow-methods']).toBe(method);
    expect(listed(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['content-type', 'idempotency-key', 'authorization']),
    );
    expect(Number(headers['access-control-max-age'])).toBeGreaterThan(0);
  });

  test('refuses the preflight and the mint of an unlisted origin with 403 and without CORS headers', async () => {
    const url = await start(relayFor());
    for (const call of [preflight('/mint', stranger), mint(stranger), preflight('/mint', 'null')]) {
      const answer = await send(url, call);
      expect([answer.status, answer.json.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
      expectUnreadable(answer);
    }
  });

  test('lets a listed origin read launches and refusals', async () => {
    const url = await start(relayFor());
    const launched = await send(url, mint());
    expect(launched.status, launched.text).toBe(200);
    expectReadable(launched);
    const answers = [
      [await send(url, { ...mint(), body: {} }), 400],
      [await send(url, mint(page, { 'X-User': [] })), 401],
      [await send(url, { ...mint(), body: { experienceId: 'exp_unknown' } }), 404],
      [await send(url, { ...mint(), method: 'PUT' }), 405],
      [await send(url, mint(page, { 'Content-Type': 'text/plain' })), 415],
    ] as const;
    for (const [answer, status] of answers) {
      expect(answer.status, answer.text).toBe(status);
      expectReadable(answer);
    }
  });

  test('ends the session of a beacon from a listed origin', async () => {
    const { launch, session } = await client.sessions.mint({ experienceId: world.experienceId });
    const answer = await send(await start(relayFor()), {
      method: 'POST',
      path: '/end',
      headers: { Origin: page, 'Sec-Fetch-Site': 'cross-site', 'Content-Type': 'text/plain;charset=UTF-8' },
      body: launch.sessionToken,
    });
    expect(answer.status, answer.text).toBe(204);
    expectReadable(answer);
    expect(await client.sessions.get(session.sessionId)).toMatchObject({ status: 'ended' });
  });

  test('shows the catalog to a listed origin, which can read its ETag', async () => {
    const answer = await send(await start(relayFor()), {
      path: '/catalog',
      headers: { Origin: page, 'Sec-Fetch-Site': 'cross-site', 'X-User': 'ann' },
    });
    expect(answer.status, answer.text).toBe(200);
    expectReadable(answer);
    expect(listed(answer.headers['access-control-expose-headers'])).toContain('etag');
    expect(listed(answer.headers.vary)).toEqual(['cookie', 'authorization', 'origin']);
  });

  test('answers a page of the same site without CORS headers', async () => {
    const url = await start(relayFor());
    const answer = await send(url, mint(url, { 'Sec-Fetch-Site': 'same-origin' }));
    expect(answer.status, answer.text).toBe(200);
    expectUnreadable(answer);
    expect(listed(answer.headers.vary)).toContain('origin');
  });
});

test('a relay without origins answers no preflight', async () => {
  const url = await applications['node:http']?.(relayFor({ origins: [] }));
  const answer = await send(url ?? '', preflight('/mint', page));
  expect([answer.status, answer.json.error.code]).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
  expectUnreadable(answer);
  expect(answer.headers.vary).toBeUndefined();
});

test('allows cookies only where credentials is true', async () => {
  const url = (await applications['node:http']?.(relayFor({ credentials: true }))) ?? '';
  for (const call of [preflight('/mint', page), mint(), { ...mint(), body: {} }]) {
    const { headers } = await send(url, call);
    expect(headers['access-control-allow-credentials']).toBe('true');
  }
  expectUnreadable(await send(url, mint(stranger)));
});

test('a listed origin can read a rate-limit error', async () => {
  const url = (await applications['node:http']?.(relayFor({ limit: { perMinute: 1 } }))) ?? '';
  await send(url, mint());
  const answer = await send(url, mint());
  expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
  expectReadable(answer);
});
