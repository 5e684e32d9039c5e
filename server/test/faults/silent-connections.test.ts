import { expect, test } from 'vitest';
import { asService, postgresFleet, until } from '../harness/fleet.ts';
import type { Answer } from '../harness/http.ts';
import { readMetrics } from '../harness/metrics.ts';
import type { ServiceProcess } from '../harness/process.ts';
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';
import { apply, createWorld, mintFromBrowser, mintFromServer, type World } from '../harness/world.ts';

const rates = { mintsPerMinutePerClient: 1_000_000, mintsPerMinute: null, sessionsPerDay: null };

type Mint = (service: ServiceProcess, world: World) => Promise<Answer>;
const doors: Record<string, Mint> = {
  server: (service, world) =>
    mintFromServer(asService(service), world.key, { experienceId: world.experienceId }),
  // Its limits are asked in the database, so it takes every lane that a mint can take.
  browser: (service, world) => mintFromBrowser(asService(service), { experienceId: world.experienceId }),
};

interface Arranged {
  service: ServiceProcess;
  world: World;
  proxy: TcpProxy;
  /** Everything that is connected now hears and says nothing any more; new connections are well. */
  fallSilent(): void;
}

async function arrange(cleanup: (undo: () => Promise<void>) => void): Promise<Arranged> {
  const fleet = await postgresFleet(cleanup);
  const proxy = await startTcpProxy(cleanup, Number(new URL(fleet.databaseUrl).port));
  const service = await fleet.start({ DATABASE_URL: proxy.through(fleet.databaseUrl) });
  const world = await createWorld(asService(service), { project: { limits: rates } });
  const fallSilent = () => {
    for (const link of proxy.links()) link.mute();
  };
  return { service, world, proxy, fallSilent };
}

/** Many at once, so that every lane has as many connections as it may. */
async function fillLanes({ service, world }: Arranged): Promise<void> {
  const mints = Array.from({ length: 60 }, (_, n) => Object.values(doors)[n % 2]!(service, world));
  for (const { status, text } of await Promise.all(mints)) expect(status, text).toBe(201);
}

/** Mints at a door until one succeeds; what was refused on the way was told when to come back. */
async function untilMinted(mint: Mint, { service, world }: Arranged): Promise<number> {
  const began = performance.now();
  for (;;) {
    const answer = await mint(service, world);
    if (answer.status === 201) return performance.now() - began;
    expect(answer.status, answer.text).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(performance.now() - began).toBeLessThan(60_000);
  }
}

const busy = async (service: ServiceProcess) =>
  (await readMetrics(service)).total('session_launch_database_connections', { state: 'busy' });

test.for(Object.keys(doors))(
  'when all connections fall silent, mints at the %s door go on within seconds',
  {
    timeout: 120_000,
  },
  async (name, { onTestFinished }) => {
    const arranged = await arrange(onTestFinished);
    await fillLanes(arranged);
    arranged.fallSilent();
    const ms = await untilMinted(doors[name]!, arranged);
    // Promised are five seconds; a busy machine gets twice that.
    expect(ms).toBeLessThan(10_000);
    await until('ready', async () => (await arranged.service.call({ path: '/readyz' })).status === 200);
    await until('every connection to be free', async () => (await busy(arranged.service)) === 0, 20_000);
    await fillLanes(arranged);
  },
);

test('an operator who applies files at that moment takes nothing from mints, and every connection comes back', {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const arranged = await arrange(onTestFinished);
  const { service, world, fallSilent } = arranged;
  await fillLanes(arranged);
  expect((await apply(asService(service), world.file)).status).toBe(200);
  fallSilent();
  const applied = Promise.all(Array.from({ length: 10 }, () => apply(asService(service), world.file)));
  const ms = await untilMinted(doors.server!, arranged);
  expect(ms).toBeLessThan(10_000);
  for (const { status, text } of await applied) expect([200, 503], text).toContain(status);
  await until('every connection to be free', async () => (await busy(service)) === 0, 20_000);
  expect((await apply(asService(service), world.file)).status).toBe(200);
  await fillLanes(arranged);
  expect((await service.call({ path: '/readyz' })).status).toBe(200);
});

test('a stop on silent connections is as clean as any', { timeout: 120_000 }, async ({ onTestFinished }) => {
  const arranged = await arrange(onTestFinished);
  const { service, fallSilent } = arranged;
  await fillLanes(arranged);
  fallSilent();
  const began = performance.now();
  expect(await service.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(performance.now() - began).toBeLessThan(15_000);
});
