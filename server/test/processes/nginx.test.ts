import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Nginx, startNginx } from '@session-launch/testing/nginx.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import {
  backendsOf,
  configured,
  conversations,
  type Pair,
  restartBoth,
  startPair,
  Visitors,
} from '../harness/behind-proxy.ts';
import { createCertificate } from '../harness/certificate.ts';
import { consoleBehind, signInAndOut } from '../harness/console-behind-proxy.ts';
import { blockRunBy } from '../harness/doc-blocks.ts';

const cleanup = useCleanup();
let pair: Pair;
let nginx: Nginx;
let url: string;
let visitors: Visitors;
let console: ReturnType<typeof consoleBehind>;

beforeAll(async () => {
  const [port, consolePort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  pair = await startPair(cleanup, { PUBLIC_URL: url, SHUTDOWN_GRACE_SECONDS: '10' });
  const { certificate, key, pem } = await createCertificate(cleanup, 'admin.example.com');
  const http = configured(blockRunBy(import.meta.url, 'docs/operations.md'), [
    // Without TLS, except for the console.
    [/listen 443 ssl;(\s+server_name launch)/, `listen 127.0.0.1:${port};$1`],
    [/^.*\/etc\/ssl\/launch.*\n/gm, ''],
    [/listen 443 ssl;/, `listen 127.0.0.1:${consolePort} ssl;`],
    [/\/etc\/ssl\/admin\.example\.com\.pem/, certificate],
    [/\/etc\/ssl\/admin\.example\.com\.key/, key],
    ...backendsOf(pair),
  ]);
  console = consoleBehind(consolePort, pem);
  nginx = await startNginx(cleanup, http);
  visitors = new Visitors(url, pair.world);
});

test('twenty clients talk through nginx, are disconnected and resume in the process that has their session', async () => {
  const all = await visitors.several(20);
  const running = await conversations(pair.services);
  // Both processes have some of the sessions.
  expect(Math.min(...running)).toBeGreaterThan(0);
  expect(running.reduce((sum, count) => sum + count, 0)).toBe(20);
  const resumed = await Promise.all(all.map((client) => visitors.comeBack(client)));
  expect(resumed.filter(Boolean)).toHaveLength(20);
});

test('the manifest contains the runtime address of nginx', async () => {
  const { address, talker } = await visitors.one('127.0.0.40');
  expect(address).toBe(`${url.replace('http', 'ws')}/runtime`);
  await talker.leave();
});

test('a body over 64 KiB is refused by the service, in its own format', async () => {
  const body = { experienceId: pair.world.experienceId, metadata: 'x'.repeat(70_000) };
  const answer = await visitors.mint('127.0.0.2', {}, body);
  expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
});

test('the service counts by the client’s address, which the client cannot forge', async () => {
  const { experienceId } = await createWorld(pair.services[0], {
    project: { limits: { mintsPerMinutePerClient: 1, mintsPerMinute: null, sessionsPerDay: null } },
  });
  const status = async (from: string, headers = {}) =>
    (await visitors.mint(from, headers, { experienceId })).status;
  expect([await status('127.0.0.50'), await status('127.0.0.50')]).toEqual([201, 429]);
  expect(await status('127.0.0.50', { 'X-Forwarded-For': '203.0.113.7' })).toBe(429);
  expect(await status('127.0.0.51')).toBe(201);
});

test('a reload of nginx keeps the connections of conversations', async () => {
  const { talker } = await visitors.one('127.0.0.60');
  await nginx.reload();
  expect(await talker.ask('Good morning')).not.toBe('');
  await talker.leave();
});

test('the console signs in over https, in its own network only', async () => {
  await signInAndOut(console);
  expect((await console({ path: '/console/' })).text).toContain('<title>');
  expect((await console({ path: '/console/', localAddress: '127.0.0.9' })).status).toBe(403);
});

test('while both processes restart, no mint fails, and clients talk on in new sessions', () =>
  restartBoth(pair, [visitors], 12));
