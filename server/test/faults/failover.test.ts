import { postgresFleet, rows, until } from '@session-launch/testing/fleet.ts';
import { type PostgresServer, startPostgres } from '@session-launch/testing/postgres-server.ts';
import { expectWithin } from '@session-launch/testing/slowness.ts';
import { startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { History } from './history.ts';
import { Load } from './load.ts';
import { seededRandom } from './random.ts';
import { storedAt } from './stored.ts';

const limits = { mintsPerMinutePerClient: 1_000_000, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/** How a primary leaves. */
const ways: Record<string, (primary: PostgresServer) => Promise<unknown>> = {
  'a crash': (primary) => primary.stop('immediate'),
  // Its connections stay open, as they do when only a name leads to another machine from now on.
  'a demotion without a farewell': async (primary) => {
    await rows(primary.url('postgres'), 'ALTER SYSTEM SET default_transaction_read_only = on');
    await rows(primary.url('postgres'), 'SELECT pg_reload_conf()');
  },
};

test.for(Object.keys(ways))(
  '%s: a standby that was synchronous has every launch, once, and takes over',
  async (way, context) => {
    const { onTestFinished } = context;
    const primary = await startPostgres();
    onTestFinished(() => primary.dispose());
    const standby = await primary.follow();
    const proxy = await startTcpProxy(onTestFinished, primary.port);
    const fleet = await postgresFleet(onTestFinished, proxy.through(primary.url('postgres')));
    const service = await fleet.start();
    const world = await createWorld(service, { project: { limits } });
    const history = new History();
    const load = new Load(history, {
      random: seededRandom(context),
      world,
      target: () => service.url,
      pauseMs: 10,
    });
    const launches = (count: number) => {
      const before = load.acknowledged;
      return until(`${count} launches`, async () => load.acknowledged >= before + count);
    };

    await launches(200);
    const readiness = () => service.call({ path: '/readyz' });
    await history.breaking(async () => {
      await ways[way]!(primary);
      await until('not ready', async () => (await readiness()).status === 503);
      await rows(standby.url('postgres'), 'SELECT pg_promote()');
      proxy.leadTo(standby.port);
      const promoted = performance.now();
      await launches(1);
      // Promised are five seconds; a busy machine gets some more.
      expectWithin(performance.now() - promoted, 10_000);
      await until('ready', async () => (await readiness()).status === 200);
    });
    await launches(200);
    await load.stop();

    expect(history.problems(await storedAt(standby.url('postgres')))).toEqual([]);
    const { acknowledged, ...others } = history.tally();
    expect(acknowledged).toBeGreaterThan(400);
    expect(Object.keys(others).filter((status) => !['400', '409', '503'].includes(status))).toEqual([]);
  },
);
