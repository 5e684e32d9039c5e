import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { describe, expect, type TestContext, test } from 'vitest';
import { openEmbedded } from '../../src/store/embedded.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { effort } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { History } from './history.ts';
import { expectLived, LiveLoad, stillActive, watchForAMinute, wrong } from './live-sessions.ts';
import { Load } from './load.ts';
import { type Ask, askAt, askEmbedded, stored } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/**
 * Mints and runs sessions while the process is repeatedly killed at random moments. Returns the last process and the expected state of
 * the database.
 */
async function throughKills(context: TestContext, start: () => Promise<ServiceProcess>, rounds: number) {
  const random = seededRandom(context);
  const history = new History();
  let serving = start();
  const world = await createWorld(await serving, { project: { limits } });
  const living = await createWorld(await serving);
  const load = new Load(history, { random, world, workers: 8, target: async () => (await serving).url });
  const live = new LiveLoad({ world: living, workers: 8, target: () => serving });
  const progress = () => {
    const before = { launches: load.acknowledged, steps: live.steps };
    return until(
      'launches, and sessions that live',
      async () => load.acknowledged > before.launches + 30 && live.steps > before.steps + 100,
    );
  };
  // Kills only count if requests were in flight; on a loaded machine more rounds may be needed.
  const isEnough = () => (history.tally().unknown ?? 0) > rounds && live.broken > rounds;
  try {
    for (let round = 0; round < rounds || !isEnough(); round++) {
      expect(round).toBeLessThan(rounds + 10);
      await progress();
      await sleep(random() * 250);
      serving = serving.then((tested) => tested.kill('SIGKILL')).then(start);
      await serving;
    }
    await progress();
    await until('a launch that was invalid', async () => history.tally()['400'] !== undefined);
  } finally {
    await Promise.all([load.stop(), live.stop()]);
  }
  const expectKept = async (ask: Ask) => {
    expect(history.problems(await stored(ask, world.projectId))).toEqual([]);
    expectLived(live.seen);
    expect(await ask(wrong)).toEqual([]);
  };
  return { last: await serving, expectKept };
}

describe.concurrent('a service killed under load keeps every launch once; sessions start once, their usage never decreases, and none stays active', () => {
  test('on PostgreSQL', async (context) => {
    const fleet = await postgresFleet(context.onTestFinished);
    const { expectKept } = await throughKills(context, fleet.start, effort(1, 40));
    const ask = askAt(fleet.databaseUrl);
    await expectKept(ask);
    const left = await ask(stillActive);
    expect(left.length).toBeGreaterThan(0);
    // From here on, their runtimes send no reports.
    const database = await openPostgres(fleet.databaseUrl, { onIdleError: () => undefined });
    context.onTestFinished(() => database.close());
    expect(await watchForAMinute(database)).toBe(left.length);
    expect(await ask(stillActive)).toEqual([]);
    expect(await ask(wrong)).toEqual([]);
  });

  test('on the embedded engine', async (context) => {
    const { path, start } = await processFolder(context.onTestFinished);
    const DATA_DIR = await prepareDataFolder(join(path, 'data'));
    const { last, expectKept } = await throughKills(context, () => start({ DATA_DIR }), effort(1, 20));
    await last.kill('SIGKILL');
    const database = await openEmbedded(DATA_DIR);
    context.onTestFinished(() => database.close());
    const ask = askEmbedded(database);
    await expectKept(ask);
    const left = await ask(stillActive);
    expect(left.length).toBeGreaterThan(0);
    expect(await watchForAMinute(database)).toBe(left.length);
    expect(await ask(stillActive)).toEqual([]);
    expect(await ask(wrong)).toEqual([]);
  });
});
