import { postgresFleet, until } from '@session-launch/testing/fleet.ts';
import { startPostgres } from '@session-launch/testing/postgres-server.ts';
import { startTcpProxy } from '@session-launch/testing/tcp-proxy.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import { History } from '../faults/history.ts';
import { Load } from '../faults/load.ts';
import { seededRandom } from '../faults/random.ts';
import { storedAt } from '../faults/stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

test('a synchronous standby takes over under load: nothing lost, nothing doubled, mints again at once', async (context) => {
  const cleanup = context.onTestFinished;
  const primary = await startPostgres({ durable: true });
  cleanup(() => primary.dispose());
  const standby = await primary.addStandby();
  cleanup(() => standby.dispose());
  // Where an operator has a virtual address: it leads to the primary of the moment.
  const address = await startTcpProxy(cleanup, primary.port);
  const fleet = await postgresFleet(cleanup, address.through(primary.url('postgres')));
  const services = [await fleet.start(), await fleet.start()];
  const world = await createWorld(services[0]!, { project: { limits } });
  const history = new History();
  let turn = 0;
  const target = () => services[turn++ % services.length]!.url;
  const load = new Load(history, { random: seededRandom(context), world, target });
  const launches = (count: number) => {
    const before = load.acknowledged;
    return until(`${count} launches`, async () => load.acknowledged >= before + count, 60_000);
  };

  await launches(2_000);
  let promoted = 0;
  await history.breaking(async () => {
    await primary.stop('immediate');
    await standby.promote();
    promoted = performance.now();
    address.lead(standby.port);
    await launches(1);
  });
  const gapMs = performance.now() - promoted;
  await launches(2_000);
  await load.stop();
  await Promise.all(services.map((service) => service.kill('SIGKILL')));

  expect(history.problems(await storedAt(standby.url('postgres')))).toEqual([]);
  console.log(
    `fail-over: mints again ${Math.round(gapMs)} ms after the promotion; ${JSON.stringify(history.tally())}`,
  );
  expect(gapMs).toBeLessThan(5_000);
});
