import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { describe, expect, test } from 'vitest';
import { effort } from '../harness/effort.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { type Random, seededRandom } from './random.ts';
import { storedAt, storedIn } from './stored.ts';

const limits = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

/** Mints while the process is killed again and again, each time at a moment that chance chooses. */
async function mintThroughKills(
  start: () => Promise<ServiceProcess>,
  random: Random,
  rounds: number,
): Promise<{ history: History; last: ServiceProcess }> {
  const history = new History();
  let serving = start();
  const world = await createWorld(await serving, { project: { limits } });
  const load = new Load(history, { random, world, target: async () => (await serving).url });
  try {
    for (let round = 0; round < rounds; round++) {
      const victim = await serving;
      const before = load.acknowledged;
      await until('launches before the next kill', async () => load.acknowledged > before + 30);
      await sleep(random() * 250);
      serving = victim.kill('SIGKILL').then(start);
    }
    const before = load.acknowledged;
    await serving;
    await until('launches after the last kill', async () => load.acknowledged > before + 30);
  } finally {
    await load.stop();
  }
  return { history, last: await serving };
}

function expectBrokenRequests(history: History, rounds: number): void {
  // Kills that meet no request under way would prove nothing.
  expect(history.tally().unknown ?? 0).toBeGreaterThan(rounds);
  expect(history.tally()['400']).toBeGreaterThan(0);
}

describe.concurrent('a service that is killed under load keeps every launch, once', () => {
  test('on PostgreSQL', async (context) => {
    const rounds = effort(2, 40);
    const fleet = await postgresFleet(context.onTestFinished);
    const { history } = await mintThroughKills(fleet.start, seededRandom(context), rounds);
    expect(history.problems(await storedAt(fleet.databaseUrl))).toEqual([]);
    expectBrokenRequests(history, rounds);
  });

  test('on the embedded engine', async (context) => {
    const rounds = effort(1, 20);
    const { path, start } = await processFolder(context.onTestFinished);
    const DATA_DIR = await prepareDataFolder(join(path, 'data'));
    const { history, last } = await mintThroughKills(
      () => start({ DATA_DIR }),
      seededRandom(context),
      rounds,
    );
    await last.kill('SIGKILL');
    expect(history.problems(await storedIn(DATA_DIR))).toEqual([]);
    expectBrokenRequests(history, rounds);
  });
});
