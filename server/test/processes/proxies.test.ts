import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { isSkipped } from '@session-launch/testing/programs.ts';
import { startCaddy, startHaproxy } from '@session-launch/testing/proxy-process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  backendsOf,
  configured,
  conversations,
  type Pair,
  restartBoth,
  startPair,
  Visitors,
} from '../harness/behind-proxy.ts';
import { type Certificate, createCertificate } from '../harness/certificate.ts';
import { consoleBehind, signInAndOut } from '../harness/console-behind-proxy.ts';
import { readPage } from '../harness/pages.ts';

/** Starts a proxy in front of a pair. Returns its URL and a function that sends a request to its console. */
type Start = (
  pair: Pair,
  certificate: Certificate,
) => Promise<{ url: string; console: ReturnType<typeof consoleBehind> }>;

const cleanup = useCleanup();

const caddy: Start = async (pair, { certificate, key, pem }) => {
  const [url, port] = [`http://127.0.0.1:${await freePort()}`, await freePort()];
  const sites = configured(readPage('examples/proxy/Caddyfile'), [
    [/^launch\.example\.com \{/m, `${url} {`],
    // Caddy would obtain a certificate itself.
    [/^admin\.example\.com \{/m, `https://admin.example.com:${port} {\n\ttls ${certificate} ${key}`],
    // A busy machine answers late.
    [/health_timeout 5s/, 'health_timeout 60s'],
    ...backendsOf(pair),
  ]);
  await startCaddy(cleanup, sites, url);
  return { url, console: consoleBehind(port, pem) };
};

const haproxy: Start = async (pair, { both, pem }) => {
  const [port, consolePort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const sections = configured(readPage('examples/proxy/haproxy.cfg'), [
    // The same frontend without TLS, for the clients of this test.
    [
      /^( +)bind :443 (ssl) crt \S+/m,
      `$1bind 127.0.0.1:${port}\n$1bind 127.0.0.1:${consolePort} $2 crt ${both}`,
    ],
    [/timeout check 5s/, 'timeout check 60s'],
    ...backendsOf(pair),
  ]);
  await startHaproxy(cleanup, sections, url);
  return { url, console: consoleBehind(consolePort, pem) };
};

let pair: Pair;
let certificate: Certificate;
beforeAll(async () => {
  if (installed.length === 0) return;
  certificate = await createCertificate(cleanup, 'admin.example.com');
  // The health checks of the proxies notice a stop within the grace period.
  pair = await startPair(cleanup, { PUBLIC_URL: 'https://launch.example.com', SHUTDOWN_GRACE_SECONDS: '20' });
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
    proxy = await start(pair, certificate);
    visitors = new Visitors(proxy.url, pair.world);
    visitorsOf.push(visitors);
  });

  test('twelve clients talk, are disconnected and resume in the process that has their session', async () => {
    // Caddy does not use a process after one failed health check, which a busy machine can cause.
    for (const service of pair.services) await visitors.untilUsed(service);
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

  test('the console signs in over https, in its own network only', async () => {
    await signInAndOut(proxy.console);
    expect((await proxy.console({ path: '/console/' })).text).toContain('<title>');
    const outside = await proxy
      .console({ path: '/console/', localAddress: '127.0.0.9' })
      .then(({ status }) => status)
      .catch((error: NodeJS.ErrnoException) => error.code);
    expect([403, 'ECONNRESET']).toContain(outside);
  });
});

test.skipIf(installed.length === 0)(
  'while both processes restart, no mint fails, and clients talk on in new sessions',
  () => restartBoth(pair, visitorsOf, 8),
);
