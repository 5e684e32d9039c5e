import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { deployedService } from '@session-launch/testing/deployment.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { type RawAnswer, sendRaw } from '@session-launch/testing/raw-http.ts';
import { expectError, pageOrigin, type World } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { endpoints, mintAt, mintRawAt, openWorld } from './mint-endpoints.ts';

const service = deployedService();
let world: World;
beforeAll(async () => {
  world = await openWorld(service);
});

/** Every path of the API, with the Allow header of its 405. */
const addresses: [path: string, allow: string][] = [
  ['/v1/sessions', 'POST'],
  ['/v1/browser-sessions', 'POST, OPTIONS'],
  ['/v1/public-sessions', 'POST, OPTIONS'],
  ['/v1/sessions/ses_1', 'GET, HEAD'],
  ['/v1/sessions/ses_1/end', 'POST'],
  ['/v1/projects/prj_1/experiences', 'GET, HEAD'],
  ['/v1/projects/prj_1/experiences/cafe', 'GET, HEAD'],
  ['/.well-known/jwks.json', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
];

function expectManners(answer: Answer): void {
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(answer.headers['x-request-id']).toMatch(/^req_[a-z0-9]{26}$/);
  expect(answer.headers).not.toHaveProperty('x-powered-by');
  expect(answer.headers).not.toHaveProperty('server');
}

describe('methods', () => {
  test.each(addresses)('%s refuses every method but %s', async (path, allow) => {
    const taken = allow.split(', ');
    const others = METHODS.filter((method) => method !== 'CONNECT' && !taken.includes(method));
    expect(others).toEqual(expect.arrayContaining(['DELETE', 'PATCH', 'PUT', 'PROPFIND', 'TRACE']));
    for (const method of others) {
      const answer = await service.call({ method, path, headers: { Origin: pageOrigin } });
      expect(answer.status, method).toBe(405);
      expect(answer.headers.allow, method).toBe(allow);
      expectManners(answer);
      if (method === 'HEAD') expect(answer.text).toBe('');
      else expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      if (path.endsWith('sessions')) {
        expect(answer.headers['cache-control'], method).toBe('no-store, private');
      }
    }
  });

  test('a wrong method gets 405 with any body', async () => {
    for (const [path] of addresses.slice(0, 3)) {
      for (const type of ['application/json', 'text/plain', ';;;']) {
        const headers = { 'Content-Type': type };
        const answer = await service.call({ method: 'PUT', path, headers, body: '{'.repeat(70_000) });
        expectError(answer, 405, 'METHOD_NOT_ALLOWED');
      }
    }
  });
});

describe('unknown paths', () => {
  test.each([
    '/nowhere',
    '/v1',
    '/v1/',
    '/v2/sessions',
    '/V1/sessions',
    '/v1/Sessions',
    '/v1/browser-sessions/',
    '/v1/sessions/',
    '/v1/sessions//end',
    '/v1/projects//experiences',
    '/v1/projects/prj_1/experiences/',
    '/v1/browser-sessions/ses_1',
    '/v1/sessions/ses_1/start',
    '/v1/projects/prj_1',
    '/admin/projects',
    '/admin/status',
    '/metrics',
    '/.well-known/openid-configuration',
    '/v1/sessions%2f',
    '/../etc/passwd',
    '/v1/%2e%2e/%2e%2e/etc/passwd',
  ])('%s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'QUERY']) {
      const answer = await service.call({ method, path, headers: { Origin: pageOrigin } });
      expectError(answer, 404, 'NOT_FOUND');
      expectManners(answer);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  test.each(['/%', '/%zz', '/v1/sessions/%', '/v1/%c0%af', '/v1/projects/%ff/experiences', '/v1/%E0%A4%A'])(
    '%s, which cannot be decoded',
    async (path) => {
      const answer = await sendRaw(service.url, get(path, `Authorization: Bearer ${world.key}`));
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body).error.code).toMatch(/^[A-Z_]+$/);
      expect(answer.headers['x-request-id']).toBe(JSON.parse(answer.body).error.requestId);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
    },
  );
});

describe('every response', () => {
  test('of every kind has the security headers and a unique request id', async () => {
    const { experienceId } = world;
    const seen = new Set<unknown>();
    const answers = [
      ...(await Promise.all(endpoints.map((endpoint) => mintAt(service, endpoint, world, { experienceId })))),
      ...(await Promise.all(endpoints.map((endpoint) => mintAt(service, endpoint, world, {})))),
      ...(await Promise.all(endpoints.map((endpoint) => mintRawAt(service, endpoint, world, '{')))),
      ...(await Promise.all(
        endpoints.map((endpoint) => service.call({ method: 'OPTIONS', path: endpoint.path })),
      )),
      ...(await Promise.all(addresses.map(([path]) => service.call({ path })))),
      await service.call({ path: '/nowhere' }),
    ];
    for (const answer of answers) {
      expectManners(answer);
      seen.add(answer.headers['x-request-id']);
    }
    expect(seen.size).toBe(answers.length);
  });

  test('has a request id that the caller cannot choose', async () => {
    const sent = 'req_00000000000000000000000000';
    const headers = { 'X-Request-Id': sent, 'Request-Id': sent };
    const answer = await service.call({ path: '/healthz', headers });
    expect(answer.headers['x-request-id']).not.toBe(sent);
  });

  test.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))(
    'of %s forbids caching, with any status',
    async (_path, endpoint) => {
      const { experienceId } = world;
      const json = { 'Content-Type': 'application/json' };
      const answers: [number, Answer][] = [
        [endpoint.launches, await mintAt(service, endpoint, world, { experienceId })],
        [
          204,
          await service.call({ method: 'OPTIONS', path: endpoint.path, headers: { Origin: pageOrigin } }),
        ],
        [204, await service.call({ method: 'OPTIONS', path: endpoint.path })],
        [400, await mintAt(service, endpoint, world, {})],
        [400, await mintAt(service, endpoint, world, '{', json)],
        [403, await service.call({ method: 'POST', path: endpoint.path, body: { experienceId } })],
        [404, await mintAt(service, endpoint, world, { experienceId: 'exp_nobody' })],
        [405, await mintAt(service, endpoint, world, undefined, {}, { method: 'GET' })],
        [413, await mintAt(service, endpoint, world, ' '.repeat(70_000), json)],
        [415, await mintAt(service, endpoint, world, '{}', { 'Content-Type': 'text/plain' })],
      ];
      for (const [status, answer] of answers) {
        // The server endpoint answers 401 for the missing key, and has no preflight.
        const own = endpoint.name === 'sessions' ? ({ 204: 405, 403: 401 }[status] ?? status) : status;
        expect(answer.status, answer.text).toBe(own);
        expect(answer.headers['cache-control'], String(status)).toBe('no-store, private');
      }
    },
  );
});

function get(path: string, ...headers: string[]): string {
  return ['GET', ' ', path, ' HTTP/1.1\r\n', 'Host: service\r\n', 'Connection: close\r\n']
    .concat(headers.map((header) => `${header}\r\n`))
    .concat('\r\n')
    .join('');
}

function post(path: string, headers: string[], body = ''): string {
  const lines = [`POST ${path} HTTP/1.1`, 'Host: service', `Origin: ${pageOrigin}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Expects an error envelope or an empty response: never an error text of Node or a library. */
function expectOwnWords(answer: RawAnswer): void {
  if (answer.text === '') return;
  expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
  expect(answer.status, answer.text).toBeLessThan(500);
  expect(answer.text.match(/HTTP\/1\.1 /g), answer.text).toHaveLength(1);
  if (answer.body === '') return;
  const { error } = JSON.parse(answer.body);
  expect(error).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String) });
  expect(answer.headers['x-request-id']).toBe(error.requestId);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.body));
  if (answer.headers.connection === 'close' && answer.status === 400) {
    expect(answer.headers['cache-control']).toBe('no-store, private');
  }
}

describe('malformed HTTP requests', () => {
  const json = 'Content-Type: application/json';
  test.each<[string, number | undefined, string | Buffer]>([
    ['an invalid request line', 400, 'hello there\r\n\r\n'],
    ['an unknown method', 400, 'SHOUT /v1/sessions HTTP/1.1\r\nHost: service\r\n\r\n'],
    ['an unknown version', 400, 'GET / HTTP/9.9\r\nHost: service\r\n\r\n'],
    ['HTTP/0.9', 400, 'GET /nowhere\r\n\r\n'],
    ['HTTP/2.0 in an HTTP/1 request line', 400, 'GET / HTTP/2.0\r\nHost: service\r\n\r\n'],
    ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a TLS handshake', 400, Buffer.from('16030100a5010000a10303', 'hex')],
    ['a space in the URL', 400, 'GET /a b HTTP/1.1\r\nHost: service\r\n\r\n'],
    ['a header without a colon', 400, 'GET / HTTP/1.1\r\nHost: service\r\nnonsense\r\n\r\n'],
    ['a NUL in a header', 400, 'GET / HTTP/1.1\r\nHost: service\r\nX-A: a\0b\r\n\r\n'],
    ['no Host', 400, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['headers of 20 KB', 431, get('/', `X-Large: ${'a'.repeat(20_000)}`)],
    ['1000 headers', 431, get('/', ...Array.from({ length: 1_000 }, (_, i) => `X-${i}: ${'a'.repeat(20)}`))],
    ['a URL of 20 KB', 431, get(`/${'a'.repeat(20_000)}`)],
    ['a Content-Length that is not a number', 400, post('/v1/browser-sessions', [json, 'Content-Length: x'])],
    ['a negative Content-Length', 400, post('/v1/browser-sessions', [json, 'Content-Length: -1'])],
    [
      'two Content-Length headers',
      400,
      post('/v1/browser-sessions', [json, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
    ],
    [
      'Content-Length and chunked encoding',
      400,
      post('/v1/browser-sessions', [json, 'Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
    [
      'a chunk without a size',
      400,
      post('/v1/browser-sessions', [json, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'),
    ],
    [
      'an unknown transfer coding',
      undefined,
      post('/v1/browser-sessions', [json, 'Transfer-Encoding: rot13', 'Connection: close'], '{}'),
    ],
    [
      'an unknown Expect header',
      417,
      post(
        '/v1/browser-sessions',
        [json, 'Expect: miracles', 'Connection: close', 'Content-Length: 2'],
        '{}',
      ),
    ],
    ['CONNECT', undefined, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    ['OPTIONS *', undefined, 'OPTIONS * HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n'],
  ])('%s', async (_name, status, bytes) => {
    const answer = await sendRaw(service.url, bytes);
    expectOwnWords(answer);
    if (status !== undefined) expect(answer.status, answer.text).toBe(status);
  });

  test('an unknown Expect header gets an error in the envelope, after the earlier pipelined response', async () => {
    const expecting = post('/v1/browser-sessions', [json, 'Expect: miracles', 'Content-Length: 2'], '{}');
    const answer = await sendRaw(service.url, expecting);
    expectOwnWords(answer);
    expect(answer.headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store, private' });
    expect(JSON.parse(answer.body).error).toMatchObject({
      code: 'INVALID_REQUEST',
      requestId: expect.stringMatching(/^req_/),
    });
    const health = 'GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n';
    const { text } = await sendRaw(service.url, health + expecting + health);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 417']);
  });

  test('an Upgrade header is ignored, and the request is answered', async () => {
    const answer = await sendRaw(service.url, get('/nowhere', 'Upgrade: websocket'));
    expect(answer.status).toBe(404);
    expectOwnWords(answer);
  });

  test('the service keeps serving after a body that is cut off', async () => {
    const { hostname, port } = new URL(service.url);
    for (const endpoint of endpoints) {
      const admission = Object.entries(endpoint.admission(world)).map(([name, value]) => `${name}: ${value}`);
      const lines = [
        `POST ${endpoint.path} HTTP/1.1`,
        'Host: service',
        ...admission,
        json,
        'Content-Length: 90',
      ];
      await new Promise<void>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(`${lines.join('\r\n')}\r\n\r\n{"experienceId":`, () => socket.destroy());
        });
        socket.on('error', reject).on('close', () => resolve());
      });
      const { experienceId } = world;
      expect((await mintAt(service, endpoint, world, { experienceId })).status).toBe(endpoint.launches);
    }
  });

  test('a client in another process can read the response to a body that is far too large', async () => {
    const client = `
      const http = require('node:http');
      const [url, origin] = process.argv.slice(1);
      const body = Buffer.alloc(8 * 1024 * 1024, ' ');
      const mint = (resolve) => {
        const headers = { Origin: origin, 'Content-Type': 'application/json', 'Content-Length': body.length };
        const request = http.request(url, { method: 'POST', agent: false, headers }, (response) => {
          response.resume().on('end', () => resolve(String(response.statusCode)));
        });
        request.on('error', (error) => resolve(error.code)).end(body);
      };
      (async () => {
        for (let i = 0; i < 20; i++) console.log(await new Promise(mint));
      })();`;
    const args = ['-e', client, `${service.url}/v1/browser-sessions`, pageOrigin];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim().split('\n')).toEqual(new Array(20).fill('413'));
  });

  test('a body that the client stops sending gets an error in the envelope', async () => {
    const { hostname, port } = new URL(service.url);
    const text = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => {
        socket.end(post('/v1/browser-sessions', [json, 'Content-Length: 90'], '{"experienceId":'));
      });
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });
    if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_/);
  });
});

test('a connection is closed after a refused request, and later bytes on it are not answered', async () => {
  const { hostname, port } = new URL(service.url);
  // A client that never closes its side of the connection.
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
  });
  socket.on('error', () => undefined);
  socket.write('THIS IS NOT HTTP\r\n\r\n');
  await once(socket, 'end');
  // Writing to a connection that the service has closed causes a reset.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const again = setInterval(() => socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'), 10);
  await closed;
  clearInterval(again);
  expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(received).toContain('INVALID_REQUEST');
});
