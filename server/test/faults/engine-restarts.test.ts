import { useCleanup } from '@session-launch/testing/cleanup.ts';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { until } from '@session-launch/testing/fleet.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { expect, test } from 'vitest';
import type { ClientLimits } from '../../../engine/src/pglite-client.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { seededRandom } from '../harness/random.ts';
import { type Service, startService } from '../harness/service.ts';
import { History } from './history.ts';
import { Load } from './load.ts';
import { askEmbedded, stored } from './stored.ts';

const cleanup = useCleanup();
const unlimited = { mintsPerMinutePerClient: null, mintsPerMinute: null, sessionsPerDay: 1_000_000 };

async function open(limits: Partial<ClientLimits>) {
  const folder = await temporaryFolder();
  cleanup(folder.remove);
  const reasons: string[] = [];
  const hooks = { onEnd: (reason: string) => reasons.push(reason), limits };
  const database = await openEmbedded(await prepareDataFolder(folder.path), hooks);
  cleanup(() => database.close());
  const service = await startService({}, { database } as unknown as Service);
  cleanup(() => service.close());
  return {
    database,
    service,
    reasons,
    world: await createWorld(service, { project: { limits: unlimited } }),
  };
}

test('twenty restarts of the engine in a row under load keep every launch once', async (context) => {
  const { database, service, reasons, world } = await open({
    admin: 200,
    adminAnswer: 60_000,
    adminAnswerIfBusy: 60_000,
    held: 60_000,
  });
  const random = seededRandom(context);
  const history = new History();
  const load = new Load(history, { random, world, workers: 8, target: async () => service.url });
  const progress = () => {
    const before = load.acknowledged;
    return until('launches', async () => load.acknowledged > before + 10);
  };
  try {
    await progress();
    for (let round = 1; round <= 20; round++) {
      const endless = { text: 'SELECT count(*) FROM generate_series(1, 1000000000000)' };
      await expect(database.query('admin', endless)).rejects.toThrow();
      await progress();
      expect(database.own!.restarts()).toBeGreaterThanOrEqual(round);
    }
  } finally {
    await load.stop();
  }
  expect(reasons).toEqual([]);
  expect(history.problems(await stored(askEmbedded(database), world.projectId))).toEqual([]);
});

test('a mint whose write is overdue is recorded once, and answered after the restart', async () => {
  const { database, service, reasons, world } = await open({ query: 1_000 });
  // A setting of the connection, which the new thread does not have.
  await database.client.transaction(async (tx) => {
    await tx.query(`CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      WHILE current_setting('test.hang', true) = 'on' LOOP END LOOP; RETURN NULL; END $$`);
    await tx.query('CREATE TRIGGER hang AFTER INSERT ON sessions EXECUTE FUNCTION hang()');
  });
  await database.client.query("SELECT set_config('test.hang', 'on', false)");
  const answer = await service.call({
    method: 'POST',
    path: '/v1/sessions',
    headers: { Authorization: `Bearer ${world.key}` },
    body: { experienceId: world.experienceId },
  });
  expect(answer.status, answer.text).toBe(201);
  expect(database.own!.restarts()).toBeGreaterThanOrEqual(1);
  const { sessions } = await stored(askEmbedded(database), world.projectId);
  expect(sessions.map(({ id }) => id)).toEqual([answer.json.session.sessionId]);
  expect(reasons).toEqual([]);
});
