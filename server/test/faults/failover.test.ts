import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { postgresFleet, rows, until } from '@session-launch/testing/fleet.ts';
import { type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { startTcpProxy, type TcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld, type World } from '@session-launch/testing/world.ts';
import { beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../harness/random.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: 1_000_000, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

const cleanup = useCleanup();
const history = new History();
let primary: PostgresServer;
let proxy: TcpProxy;
let service: ServiceProcess;
let world: World;
beforeAll(async () => {
  primary = await startPostgres();
  cleanup(primary.dispose);
  proxy = await startTcpProxy(cleanup, primary.port);
  service = await (await postgresFleet(cleanup, proxy.through(primary.url('postgres')))).start();
  world = await createWorld(service, { project: { limits } });
});
const readiness = () => service.call({ path: '/readyz' });

/** How a primary leaves. They run in order: the server that was promoted is the next one to leave. */
const ways: Record<string, (leaving: PostgresServer) => Promise<unknown>> = {
  // Its connections stay open, as after a DNS change that moves the name to another machine.
  'a demotion without notice': async (leaving) => {
    await rows(leaving.url('postgres'), 'ALTER SYSTEM SET default_transaction_read_only = on');
    await rows(leaving.url('postgres'), 'SELECT pg_reload_conf()');
  },
  'a crash': (leaving) => leaving.stop('immediate'),
};

test.for(Object.keys(ways))(
  '%s: a synchronous standby has every launch once, and takes over',
  async (way, context) => {
    const standby = await primary.follow();
    await until('ready beside a standby', async () => (await readiness()).status === 200);
    const before = history.tally().acknowledged ?? 0;
    const load = new Load(history, {
      random: seededRandom(context),
      world,
      target: () => service.url,
      pauseMs: 50,
    });
    // Also stops the load if the test fails, since the next test uses the same service.
    context.onTestFinished(() => load.stop());
    const launches = (count: number) => {
      const { acknowledged } = load;
      return until(`${count} launches`, async () => load.acknowledged >= acknowledged + count);
    };

    await launches(200);
    await history.breaking(async () => {
      await ways[way]!(primary);
      await until('not ready', async () => (await readiness()).status === 503);
      await rows(standby.url('postgres'), 'SELECT pg_promote()');
      proxy.leadTo(standby.port);
      const promoted = performance.now();
      await launches(1);
      // The documented limit is five seconds; the rest allows for a loaded machine.
      expectWithin(performance.now() - promoted, 10_000);
      await until('ready', async () => (await readiness()).status === 200);
    });
    await launches(200);
    await load.stop();
    primary = standby;

    expect(history.problems(await storedAt(standby.url('postgres')))).toEqual([]);
    const { acknowledged = 0, ...others } = history.tally();
    expect(acknowledged - before).toBeGreaterThan(400);
    expect(Object.keys(others).filter((status) => !['400', '409', '503'].includes(status))).toEqual([]);
  },
);
