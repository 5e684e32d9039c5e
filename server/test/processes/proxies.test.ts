import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { type Call, send } from '@session-launch/testing/http.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { isSkipped } from '@session-launch/testing/programs.ts';
import { startCaddy, startHaproxy } from '@session-launch/testing/proxy-process.ts';
import { adminToken } from '@session-launch/testing/target.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  configured,
  conversations,
  moveClientsOf,
  type Pair,
  startPair,
  Visitors,
} from '../harness/behind-proxy.ts';

/** Starts a proxy in front of a pair. Returns its URL and a function that sends a request to its console. */
type Start = (pair: Pair) => Promise<{ url: string; console: (call: Call) => ReturnType<typeof send> }>;

const cleanup = useCleanup();

/** The addresses of the example, and those of the pair. */
const backends = ({ services: [first, second], addresses }: Pair): [RegExp, string][] => [
  [/10\.0\.0\.11:8080/g, addresses[0]],
  [/10\.0\.0\.12:8080/g, addresses[1]],
  [/10\.0\.0\.11:8081/g, new URL(first.adminUrl).host],
  [/10\.0\.0\.12:8081/g, new URL(second.adminUrl).host],
  // The console accepts this network only.
  [/10\.0\.0\.0\/8/g, '127.0.0.1/32'],
];

const caddy: Start = async (pair) => {
  const [url, consoleUrl] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const sites = configured('examples/proxy/Caddyfile', [
    [/^launch\.example\.com \{/m, `${url} {`],
    [/^admin\.example\.com \{/m, `${consoleUrl} {`],
    // A busy machine answers late.
    [/health_timeout 5s/, 'health_timeout 60s'],
    ...backends(pair),
  ]);
  await startCaddy(cleanup, sites, url);
  return { url, console: (call) => send(consoleUrl, call) };
};

const haproxy: Start = async (pair) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const sections = configured('examples/proxy/haproxy.cfg', [
    [/bind :443 ssl .*$/m, `bind 127.0.0.1:${port}`],
    // A name under which the console is available without ADMIN_URL.
    [/admin\.example\.com$/m, 'localhost'],
    [/timeout check 5s/, 'timeout check 60s'],
    ...backends(pair),
  ]);
  await startHaproxy(cleanup, sections, url);
  const headers = { Host: 'localhost' };
  return { url, console: (call) => send(url, { ...call, headers: { ...call.headers, ...headers } }) };
};

let pair: Pair;
beforeAll(async () => {
  if (installed.length === 0) return;
  // The health checks of the proxies notice a stop within the grace period.
  pair = await startPair(cleanup, { PUBLIC_URL: 'https://launch.example.com', SHUTDOWN_GRACE_SECONDS: '5' });
});
const installed = (
  [
    ['caddy', caddy],
    ['haproxy', haproxy],
  ] as const
).filter(([program]) => !isSkipped(program));
const visitorsOf: Visitors[] = [];

describe.each(installed)('%s with the example configuration', (_, start) => {
  let visitors: Visitors;
  let proxy: Awaited<ReturnType<Start>>;
  beforeAll(async () => {
    proxy = await start(pair);
    visitors = new Visitors(proxy.url, pair.world);
    visitorsOf.push(visitors);
  });

  test('twelve clients talk, are disconnected and resume in the process that has their session', async () => {
    const all = await visitors.several(12);
    const running = await conversations(pair.services);
    // Both processes have some of the sessions.
    expect(Math.min(...running)).toBeGreaterThan(0);
    expect(running.reduce((sum, count) => sum + count, 0)).toBe(12);
    const resumed = await Promise.all(all.map((client) => visitors.comeBack(client)));
    expect(resumed.filter(Boolean)).toHaveLength(12);
    await expect.poll(() => conversations(pair.services)).toEqual([0, 0]);
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

  test('the console is available in its own network only', async () => {
    const headers = { Authorization: `Bearer ${adminToken}` };
    expect((await proxy.console({ path: '/console/' })).text).toContain('<title>');
    expect((await proxy.console({ path: '/admin/status', headers })).status).toBe(200);
    const outside = await proxy
      .console({ path: '/admin/status', headers, localAddress: '127.0.0.9' })
      .then(({ status }) => status)
      .catch((error: NodeJS.ErrnoException) => error.code);
    expect([403, 'ECONNRESET']).toContain(outside);
  });
});

test.skipIf(installed.length === 0)(
  'when one process stops, its clients mint and connect at the other one',
  async () => {
    const [stopped, staying] = pair.services;
    const clients = await Promise.all(visitorsOf.map((visitors, at) => visitors.several(10, 70 + 20 * at)));
    const all = await moveClientsOf(stopped, clients.flat());
    await expect.poll(() => conversations([staying])).toEqual([10 * installed.length]);
    for (const { talker } of all) talker.ws.terminate();
  },
);
