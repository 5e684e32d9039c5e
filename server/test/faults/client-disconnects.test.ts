import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { untilReady } from '@session-launch/testing/fleet.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { logLines } from '@session-launch/testing/process.ts';
import { openConnection } from '@session-launch/testing/raw-http.ts';
import {
  mintFromBrowser,
  mintFromPublic,
  mintFromServer,
  pageOrigin,
} from '@session-launch/testing/world.ts';
import { afterAll, expect, test } from 'vitest';
import { generateApiKey } from '../../src/keys/api-key.ts';
import { useTestedService, wire } from './victim.ts';

const assets = mkdtempSync(join(tmpdir(), 'session-launch-assets-'));
for (const folder of ['avatars', 'locations']) mkdirSync(join(assets, folder));
writeFileSync(join(assets, 'avatars', 'small.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(assets, 'avatars', 'empty.svg'), '');
writeFileSync(join(assets, 'locations', 'large.glb'), randomBytes(4_000_000));
afterAll(() => rmSync(assets, { recursive: true }));

// Delays every database query, so that clients can disconnect while it runs.
const tested = useTestedService({ env: { ASSETS_DIR: assets, LOG_LEVEL: 'info' }, lateMs: 15 });

let n = 0;
/** Names that are not cached, so that each causes a database query. */
const unknown = {
  key: () => generateApiKey('sl', 'test'),
  experience: () => `exp_nobody${n++}`,
  origin: () => `https://page${n++}.example.net`,
};

const json = 'Content-Type: application/json';
const bearer = (key = tested.world.key) => `Authorization: Bearer ${key}`;
const post = (path: string, headers: string[], body: object) => {
  const text = JSON.stringify(body);
  return wire(`POST ${path} HTTP/1.1`, [...headers, json, `Content-Length: ${text.length}`], text);
};
const get = (path: string, ...headers: string[]) => wire(`GET ${path} HTTP/1.1`, headers);
const preflight = (endpoint: string, origin: string) =>
  wire(`OPTIONS /v1/${endpoint} HTTP/1.1`, [`Origin: ${origin}`, 'Access-Control-Request-Method: POST']);
const experience = () => ({ experienceId: tested.world.experienceId });
const page = `Origin: ${pageOrigin}`;
const catalog = () => `/v1/projects/${tested.world.projectId}/experiences`;

/** Every public route, with cached and with uncached data. */
const requests: Record<string, () => string> = {
  'a mint of a server': () => post('/v1/sessions', [bearer(), `Idempotency-Key: ${n++}`], experience()),
  'a mint with a key nobody has': () => post('/v1/sessions', [bearer(unknown.key())], experience()),
  'a mint of an experience nobody has': () =>
    post('/v1/sessions', [bearer()], { experienceId: unknown.experience() }),
  'a mint of a page': () => post('/v1/browser-sessions', [page, `Idempotency-Key: ${n++}`], experience()),
  'a mint of a page, nobody’s experience': () =>
    post('/v1/browser-sessions', [page], { experienceId: unknown.experience() }),
  'a preflight of a page': () => preflight('browser-sessions', unknown.origin()),
  'a public mint': () => post('/v1/public-sessions', [page], experience()),
  'a public mint of a page nobody listed': () =>
    post('/v1/public-sessions', [`Origin: ${unknown.origin()}`], experience()),
  'a public preflight': () => preflight('public-sessions', pageOrigin),
  'a public preflight of a page nobody listed': () => preflight('public-sessions', unknown.origin()),
  'a read': () => get(`/v1/sessions/ses_0000000000000000000000000${n++ % 10}`, bearer()),
  'an end': () => post(`/v1/sessions/ses_0000000000000000000000000${n++ % 10}/end`, [bearer()], {}),
  'the catalog': () => get(catalog(), bearer()),
  'an entry of the catalog': () => get(`${catalog()}/nothing-${n++}`, bearer()),
  'the catalog, with a key nobody has': () => get(catalog(), bearer(unknown.key())),
  'a small picture': () => get('/avatars/small.svg'),
  'an empty picture': () => get('/avatars/empty.svg'),
  'a large model': () => get('/locations/large.glb'),
  'a part of a model': () => get('/locations/large.glb', 'Range: bytes=100-2000000'),
  'a picture nobody has': () => get(`/avatars/nothing${n++}.svg`),
  health: () => get('/healthz'),
  readiness: () => get('/readyz'),
  'the page for people': () => get('/'),
  'the contract': () => get('/openapi.json'),
  'the public keys': () => get('/.well-known/jwks.json'),
  'a wrong method': () => wire('DELETE /v1/sessions HTTP/1.1'),
  'an address that leads nowhere': () => get(`/nowhere${n++}`),
};

/** Number of bytes of the last request that are sent. */
const parts: Record<string, (bytes: string) => number> = {
  'in the headers': (bytes) => bytes.indexOf('\r\n\r\n') - 5,
  'before the body': (bytes) => bytes.indexOf('\r\n\r\n') + 4,
  'one byte too early': (bytes) => bytes.length - 1,
};
/** Milliseconds after a complete request: at once, during parsing, in the first query, in the second query, in the response. */
const moments = [0, 1, 4, 20, 45, 80, 120];
const ways = ['closes', 'resets'] as const;

async function leave(bytes: string, afterMs: number, way: (typeof ways)[number]): Promise<void> {
  const { socket, closed } = openConnection(tested.service.url);
  // The client does not read, so a large response is still being sent.
  socket.pause();
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (afterMs > 0) await sleep(afterMs);
  if (way === 'resets') socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

const counters = async () => {
  const metrics = await readMetrics(tested.service);
  return {
    mints: metrics.total('session_launch_requests_under_way', { part: 'mints' }),
    reads: metrics.total('session_launch_requests_under_way', { part: 'reads' }),
    art: metrics.total('session_launch_requests_under_way', { part: 'art' }),
    inFlight: metrics.total('session_launch_requests_in_flight'),
    queue: metrics.total('session_launch_queue_length'),
    connections: metrics.total('session_launch_open_connections'),
  };
};
const nothing = { mints: 0, reads: 0, art: 0, inFlight: 0, queue: 0, connections: 0 };

test.each(['alone', 'behind others on their connection'])(
  'clients that disconnect at any point leak nothing, %s',
  async (company) => {
    const pipelined = company !== 'alone';
    const ahead = (make: () => string) => (pipelined ? Array.from({ length: 4 }, make).join('') : '');
    for (const way of ways) {
      for (const cut of Object.values(parts)) {
        await Promise.all(
          Object.values(requests).flatMap((make) => {
            const last = make();
            const bytes = last.slice(0, cut(last));
            return [leave(ahead(make) + bytes, 0, way), leave(ahead(make) + bytes, 20, way)];
          }),
        );
      }
      for (const afterMs of moments) {
        const leavers = Object.values(requests).flatMap((make) =>
          Array.from({ length: pipelined ? 1 : 2 }, () => make),
        );
        await Promise.all(leavers.map((make) => leave(ahead(make) + make(), afterMs, way)));
      }
    }
    await expect.poll(counters).toEqual(nothing);
  },
);

test('a crowd of them does not block other clients', async () => {
  // Only Linux reports the number of open descriptors of a process.
  const descriptors = async () =>
    process.platform === 'linux' ? tested.metric('process_open_fds') : Promise.resolve(0);
  const quiet = await descriptors();
  const all = Object.values(requests);
  for (let round = 0; round < 3; round++) {
    // With the pipelined requests, exceeds the concurrency limits of assets and of mints.
    await Promise.all(
      Array.from({ length: 160 }, (_, i) => {
        const make = all[i % all.length]!;
        return leave(make().repeat(i % 2 === 0 ? 1 : 10), moments[(i + round) % moments.length]!, 'resets');
      }),
    );
  }
  await expect.poll(counters).toEqual(nothing);
  // Database connections stay open in the pools; a leak would grow with each of the 480 clients.
  await expect.poll(descriptors).toBeLessThan(quiet + 40);
  const { world, service } = tested;
  expect((await mintFromServer(service, world.key, experience())).status).toBe(201);
  expect((await mintFromBrowser(service, experience())).status).toBe(201);
  expect((await mintFromPublic(service, experience())).status).toBe(200);
  for (const path of ['/avatars/small.svg', '/locations/large.glb'])
    expect((await service.call({ path })).status).toBe(200);
  await untilReady(service);
});

test('none of these requests is logged as a service error', () => {
  const failed = logLines(tested.service).filter(({ level }) => level === 'error' || level === 'fatal');
  expect(failed).toEqual([]);
});
