import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, until } from '@session-launch/testing/fleet.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import { describe, expect, type TestContext, test } from 'vitest';
import { firstIdAt } from '../../src/primitives/ids.ts';
import { readUsage } from '../../src/statistics/usage.ts';
import { rollUpAfterMs, rollUpUsage } from '../../src/statistics/usage-roll-up.ts';
import type { Database } from '../../src/store/database.ts';
import { isOutage } from '../../src/store/database-errors.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { askAdmin } from '../harness/ask-admin.ts';
import { effort } from '../harness/effort.ts';
import { seededRandom } from '../harness/random.ts';
import { type ProjectUsageDay, rollUpAll, usageBySessions } from '../harness/usage.ts';
import { LiveLoad } from './live-sessions.ts';

const kills = effort(2, 20);
const allDays = { from: '2020-01-01', to: '2100-01-01' };

interface Options {
  /** Runs before each restart, with the number of earlier kills. */
  whileDead?: (n: number) => Promise<void>;
  /** Milliseconds of life before a kill, by the number of earlier kills. */
  livesMs?: (n: number) => number;
  /** Whether the test can end. If not, there are further kills. */
  isEnough?: () => boolean;
}

/** Runs sessions while the process is killed again and again. */
async function throughKills(
  context: TestContext,
  start: () => Promise<ServiceProcess>,
  { whileDead = async () => undefined, livesMs = () => 0, isEnough = () => true }: Options = {},
) {
  const random = seededRandom(context);
  let serving = start();
  const world = await createWorld(await serving);
  const live = new LiveLoad({ world, workers: 8, target: () => serving });
  const progress = (steps: number) => {
    const before = live.steps;
    return until('sessions that live', async () => live.steps > before + steps);
  };
  try {
    // Kills only count if requests were in flight.
    for (let n = 0; n < kills || live.broken === 0 || !isEnough(); n++) {
      await progress(60);
      await sleep(livesMs(n) + random() * 100);
      serving = serving
        .then((running) => running.kill('SIGKILL'))
        .then(() => whileDead(n))
        .then(start);
      await serving;
    }
    await progress(60);
  } finally {
    await live.stop();
  }
  expect(live.broken).toBeGreaterThan(0);
  return { last: await serving, projectId: world.projectId };
}

/** Compares what the service shows with the table of sessions, before and after a complete roll-up. */
async function expectExact(database: Database, projectId: string, shown: unknown): Promise<void> {
  const all = await database.query<ProjectUsageDay>('admin', { text: usageBySessions });
  const wanted = all.filter((one) => one.projectId === projectId).map(({ projectId: _, ...usage }) => usage);
  expect(wanted.length).toBeGreaterThan(0);
  expect(shown).toEqual(wanted);
  const [counted] = await database.query<{ sessions: number }>('admin', {
    text: 'SELECT sum(sessions)::integer AS sessions FROM usage_days',
  });
  expect(counted?.sessions).toBeGreaterThan(0);
  await rollUpAll(database, Date.now() + 1);
  expect(await readUsage(database, projectId, allDays)).toEqual({ days: wanted, isCounting: false });
  expect(await database.query('admin', { text: countedRevisions })).toEqual(
    await database.query('admin', { text: storedRevisions }),
  );
}

const storedRevisions = `
  SELECT experience_id, revision, count(*)::integer AS sessions FROM sessions GROUP BY 1, 2 ORDER BY 1, 2`;

/** Late sessions that are still active have not been added to revision_counts. */
const countedRevisions = `
  SELECT experience_id, revision, sum(sessions)::integer AS sessions
    FROM (SELECT experience_id, revision, sessions FROM revision_counts
          UNION ALL
          SELECT s.experience_id, s.revision, 1 FROM uncounted_sessions u JOIN sessions s ON s.id = u.session_id WHERE u.is_late) parts
   GROUP BY 1, 2 ORDER BY 1, 2`;

describe.concurrent('after kills under load, usage equals the sum over the sessions', () => {
  test('on PostgreSQL, while another process rolls up sessions as soon as they are minted', async (context) => {
    const fleet = await postgresFleet(context.onTestFinished);
    const database = await openPostgres(fleet.databaseUrl, { onIdleError: () => undefined });
    context.onTestFinished(() => database.close());
    let isRunning = true;
    const rolling = (async () => {
      while (isRunning) {
        // On a busy machine, the statement can time out.
        await rollUpUsage(database, new Date(Date.now() + rollUpAfterMs)).catch((error: Error) => {
          if (!isOutage(error)) throw error;
        });
        await sleep(20);
      }
    })();
    let through: Awaited<ReturnType<typeof throughKills>>;
    try {
      through = await throughKills(context, fleet.start);
    } finally {
      isRunning = false;
      await rolling;
    }
    const { last, projectId } = through;
    const json = await askAdmin(last, 'GET /admin/projects/{projectId}/usage', { params: { projectId } });
    await expectExact(database, projectId, json.days);
  });

  test('on the embedded engine, whose process rolls up when it starts', async (context) => {
    const { path, start } = await processFolder(context.onTestFinished);
    const DATA_DIR = await prepareDataFolder(join(path, 'data'));
    // The next process counts the sessions of this one, and enters those that it records within two seconds as uncounted.
    const announce = async (database: Database) => {
      const at = Date.now() + 2_000;
      const text = 'SELECT FROM usage_progress WHERE next >= $1';
      while ((await database.query('admin', { text }, [firstIdAt('ses', at)])).length === 0)
        await rollUpUsage(database, new Date(at + rollUpAfterMs), 0);
    };
    let hasCounted = false;
    const whileDead = async (n: number) => {
      const database = await openEmbedded(DATA_DIR);
      const counted = await database.query('admin', { text: 'SELECT FROM usage_days LIMIT 1' });
      hasCounted ||= counted.length > 0;
      if (n % 3 === 0) await announce(database);
      await database.close();
    };
    const { last, projectId } = await throughKills(context, () => start({ DATA_DIR }), {
      whileDead,
      // A process rolls up three seconds after its start.
      livesMs: (n) => (n === 1 || n >= kills ? 4_000 : 0),
      isEnough: () => hasCounted,
    });
    const json = await askAdmin(last, 'GET /admin/projects/{projectId}/usage', { params: { projectId } });
    await last.kill('SIGKILL');
    const database = await openEmbedded(DATA_DIR);
    context.onTestFinished(() => database.close());
    await expectExact(database, projectId, json.days);
  });
});
