import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Nginx, startNginx } from '@session-launch/testing/nginx.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import {
  configured,
  conversations,
  moveClientsOf,
  type Pair,
  startPair,
  Visitors,
} from '../harness/behind-proxy.ts';

const cleanup = useCleanup();
let pair: Pair;
let nginx: Nginx;
let url: string;
let visitors: Visitors;

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  pair = await startPair(cleanup, { PUBLIC_URL: url, SHUTDOWN_GRACE_SECONDS: '0' });
  const [first, second] = pair.addresses;
  // Without TLS.
  const http = configured('examples/proxy/nginx.conf', [
    [/listen 443 ssl;/g, `listen 127.0.0.1:${port};`],
    [/^\s*ssl_certificate.*\n/gm, ''],
    [/10\.0\.0\.11:8080/g, first],
    [/10\.0\.0\.12:8080/g, second],
  ]);
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

test('when one process stops, its clients mint and connect at the other one', async () => {
  const [stopped, staying] = pair.services;
  const all = await moveClientsOf(stopped, await visitors.several(20, 70));
  await expect.poll(() => conversations([staying])).toEqual([20]);
  for (const { talker } of all) talker.ws.terminate();
});
