import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet, rows, until, untilReady } from '@session-launch/testing/fleet.ts';
import type { Answer } from '@session-launch/testing/http.ts';
import { readMetrics } from '@session-launch/testing/metrics.ts';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { type Link, startTcpProxy, type TcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import {
  apply,
  createWorld,
  mintFromBrowser,
  mintFromServer,
  type World,
} from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';

/** What happens to new connections of the service. */
let greeting: 'pass' | 'close' | 'mute' = 'pass';
/** Connections on which the service has queried what the server is executing. */
const watches = new Set<Link>();
/** How many of these connections get no response, as from a server that is too busy to start a backend. */
let slowWatches = 0;
let databaseUrl: string;
let proxy: TcpProxy;
let service: ServiceProcess;
let world: World;

const cleanup = useCleanup();
beforeAll(async () => {
  const fleet = await postgresFleet(cleanup);
  databaseUrl = fleet.databaseUrl;
  proxy = await startTcpProxy(cleanup, Number(new URL(databaseUrl).port), {
    greets: () => greeting,
    toServer: (link) => {
      if (!link.opening.includes('session-launch watch')) return true;
      watches.add(link);
      if (slowWatches === 0) return true;
      slowWatches--;
      link.mute();
      return false;
    },
  });
  service = await fleet.start({ DATABASE_URL: proxy.through(databaseUrl) });
  const limits = { mintsPerMinutePerClient: 1_000_000, mintsPerMinute: null, sessionsPerDay: null };
  world = await createWorld(service, { project: { limits } });
  await fillLanes();
});

const endpoints: Record<string, () => Promise<Answer>> = {
  server: () => mintFromServer(service, world.key, { experienceId: world.experienceId }),
  // Its limits are checked in the database, so this mint uses every connection pool that a mint can use.
  browser: () => mintFromBrowser(service, { experienceId: world.experienceId }),
};
const reapply = () => apply(service, world.file);
const isReady = async () => (await service.call({ path: '/readyz' })).status === 200;

/** Mutes all open connections in both directions. */
function fallSilent(): void {
  for (const link of proxy.links()) link.mute();
}

/** Concurrent requests, so that every connection pool is filled to its maximum. */
async function fillLanes(): Promise<void> {
  expect((await reapply()).status).toBe(200);
  const mints = Array.from({ length: 60 }, (_, n) => Object.values(endpoints)[n % 2]!());
  for (const { status, text } of await Promise.all(mints)) expect(status, text).toBe(201);
}

const busy = async (lane = {}) =>
  (await readMetrics(service)).total('session_launch_database_connections', { state: 'busy', ...lane });

/** Expects that the service is ready, that no database connection is busy, and that every connection pool is full for the next test. */
async function expectRecovered(): Promise<void> {
  await untilReady(service);
  await until('every connection to be free', async () => (await busy()) === 0);
  await fillLanes();
}

/** Mints until one succeeds; every rejection before that must have a Retry-After. */
async function untilMinted(mint: () => Promise<Answer>): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await mint();
    if (answer.status === 201) return performance.now() - began;
    expectRefused(answer);
    expect(performance.now() - began).toBeLessThan(60_000);
  }
}

function expectRefused(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
}

/** The documented limit is five seconds; the rest allows for a loaded machine. */
const promptMs = 10_000;

test.for(Object.keys(endpoints))(
  'when all connections stop responding, mints at the %s endpoint recover within seconds',
  async (endpoint) => {
    fallSilent();
    expectWithin(await untilMinted(endpoints[endpoint]!), promptMs);
    await expectRecovered();
  },
);

test.for([
  ['', 0],
  [', even if the server is too busy to accept the first check', 1],
] as const)('a write that waits for a lock is not treated as a dead connection%s', async ([, slow]) => {
  const failure = await onDatabase(databaseUrl, async (client) => {
    let last = {};
    // A write times out after 15 s. A loaded machine can exceed that in one round; a defect shows in every round.
    for (let round = 0; round < 5; round++) {
      const said = service.stderr().length;
      await client.query('BEGIN; LOCK TABLE sessions IN EXCLUSIVE MODE');
      const mint = endpoints.server!();
      watches.clear();
      slowWatches = slow;
      await until('the service to have asked twice', async () => watches.size >= 2 + slow);
      await client.query('COMMIT');
      const { status, text } = await mint;
      const isDropped = service.stderr().slice(said).includes('stopped responding');
      if (status === 201 && !isDropped) return undefined;
      last = { status, text, isDropped };
    }
    return last;
  });
  expect(failure).toBeUndefined();
  await fillLanes();
});

test('an operator applying files on dead connections does not block mints', async () => {
  fallSilent();
  const applied = Promise.all(Array.from({ length: 10 }, reapply));
  expectWithin(await untilMinted(endpoints.server!), promptMs);
  for (const { status, text } of await applied) expect([200, 429, 503], text).toContain(status);
  await expectRecovered();
});

test('operators waiting for each other do not block mints', async () => {
  const applied = await onDatabase(databaseUrl, async (client) => {
    // The advisory lock that serialises the application of project files.
    await client.query('SELECT pg_advisory_lock(7315042018)');
    const waiting = Array.from({ length: 12 }, reapply);
    await until('operators to wait', async () => (await busy({ lane: 'admin' })) > 0);
    for (const mint of Array.from({ length: 40 }, (_, n) => Object.values(endpoints)[n % 2]!())) {
      const { status, text } = await mint;
      expect(status, text).toBe(201);
    }
    await untilReady(service);
    await client.query('SELECT pg_advisory_unlock(7315042018)');
    return Promise.all(waiting);
  });
  for (const { status, text } of applied) expect([200, 429, 503], text).toContain(status);
  await expectRecovered();
});

test('every connection broken during operator reads is replaced', async () => {
  let reading = true;
  const read = async () => {
    while (reading) {
      const { status, text } = await service.admin({ path: `/admin/projects/${world.projectId}` });
      expect([200, 503], text).toContain(status);
    }
  };
  const readers = Promise.all(Array.from({ length: 6 }, read));
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'session-launch'`;
  try {
    for (let round = 0; round < 50; round++) await rows(databaseUrl, end);
  } finally {
    reading = false;
  }
  await readers;
  await expectRecovered();
});

test('mints are refused at once if the database accepts and closes connections', async () => {
  greeting = 'close';
  const cutAll = () => {
    for (const link of proxy.links()) link.cut();
  };
  cutAll();
  // Key and experience are still cached, so each of these mints reaches the write.
  const began = performance.now();
  for (const answer of await Promise.all(Array.from({ length: 100 }, () => endpoints.server!())))
    expectRefused(answer);
  expectWithin(performance.now() - began, promptMs / 2);
  // A connection that was being opened during the cut still works until it is cut as well.
  await expect
    .poll(() => {
      cutAll();
      return isReady();
    })
    .toBe(false);
  greeting = 'pass';
  await expectRecovered();
});

test('when new connections are dead as well, mints are refused soon, and recover with the network', async () => {
  greeting = 'mute';
  fallSilent();
  const began = performance.now();
  for (const answer of await Promise.all(Array.from({ length: 50 }, () => endpoints.server!())))
    expectRefused(answer);
  // A write whose outcome is unknown is retried for eight seconds.
  expectWithin(performance.now() - began, 2 * promptMs);
  expect(await isReady()).toBe(false);
  greeting = 'pass';
  fallSilent();
  expectWithin(await untilMinted(endpoints.server!), promptMs);
  await expectRecovered();
});

test('a shutdown with dead connections exits cleanly', async () => {
  fallSilent();
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
});
