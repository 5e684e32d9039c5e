import { join } from 'node:path';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { postgresFleet, processFolder, rows, until } from '@session-launch/testing/fleet.ts';
import { startPostgres } from '@session-launch/testing/postgres-server.ts';
import type { ServiceProcess } from '@session-launch/testing/process.ts';
import { createWorld } from '@session-launch/testing/world.ts';
import pino from 'pino';
import { describe, expect, test } from 'vitest';
import { endSilentSessions } from '../../src/sessions/lifecycle.ts';
import { openEmbedded } from '../../src/store/embedded.ts';
import { effort } from '../harness/effort.ts';
import { LiveLoad, liveProblems } from './live-sessions.ts';

/** Kills the service in the middle of connects and reports, and starts it again, so many times. */
async function liveThroughKills(
  start: () => Promise<ServiceProcess>,
  rounds: number,
  meanwhile: (progress: (count: number) => Promise<unknown>) => Promise<void> = async () => undefined,
): Promise<{ load: LiveLoad; last: ServiceProcess }> {
  let serving = start();
  const world = await createWorld(await serving);
  const load = new LiveLoad({ world, workers: 12, target: () => serving });
  const progress = (count: number) => {
    const before = load.steps;
    return until(`${count} requests`, async () => load.steps > before + count, 120_000);
  };
  try {
    for (let round = 0; round < rounds; round++) {
      await progress(150);
      serving = serving.then((victim) => victim.kill('SIGKILL')).then(start);
    }
    await serving;
    await meanwhile(progress);
    await progress(150);
  } finally {
    await load.stop();
  }
  // Faults that meet no request under way would prove nothing.
  expect(load.broken).toBeGreaterThan(rounds);
  expect(liveProblems(load.seen)).toEqual([]);
  expect(load.seen.some(({ seconds }) => Math.max(...seconds) > 0)).toBe(true);
  return { load, last: await serving };
}

/** Sessions that are active without a row of their own or the other way round, and counts that are wrong. */
const wrong = `
  SELECT s.id FROM sessions s FULL JOIN active_sessions a ON a.session_id = s.id
   WHERE (s.started_at IS NOT NULL AND s.ended_at IS NULL) IS DISTINCT FROM (a.session_id IS NOT NULL)
  UNION ALL
  SELECT c.project_id FROM active_counts c
   WHERE c.active <> (SELECT count(*) FROM active_sessions a WHERE a.project_id = c.project_id)`;
const stillActive = 'SELECT session_id FROM active_sessions';
const lostLast = `SELECT id FROM sessions WHERE end_reason = 'runtime_lost'`;
const earlier = (column: string) => `${column} = ${column} - interval '61 s'`;
const aMinuteLater = [
  `UPDATE sessions SET ${['created_at', 'expires_at', 'started_at'].map(earlier)} WHERE ended_at IS NULL`,
  `UPDATE active_sessions SET ${['started_at', 'reported_at'].map(earlier)}`,
];

describe.concurrent('sessions live through faults: begun once, never shrinking, nothing left behind', () => {
  test('SIGKILL and a crash of PostgreSQL', async (context) => {
    const server = await startPostgres({ durable: true });
    context.onTestFinished(() => server.dispose());
    const fleet = await postgresFleet(context.onTestFinished, server.url('postgres'));
    const crash = async (progress: (count: number) => Promise<unknown>) => {
      await progress(150);
      await server.stop('immediate');
      await progress(20);
      await server.start();
    };
    await liveThroughKills(fleet.start, effort(1, 20), crash);
    const ask = (text: string) => rows<{ session_id: string }>(fleet.databaseUrl, text);
    expect(await ask(wrong)).toEqual([]);
    const left = await ask(stillActive);
    expect(left.length).toBeGreaterThan(0);
    // Their runtimes are silent from now on: the service that runs ends them by itself.
    for (const text of aMinuteLater) await ask(text);
    await until('every session to end', async () => (await ask(stillActive)).length === 0);
    expect((await ask(lostLast)).length).toBeGreaterThanOrEqual(left.length);
    expect(await ask(wrong)).toEqual([]);
  });

  test('SIGKILL on the embedded engine', async (context) => {
    const { path, start } = await processFolder(context.onTestFinished);
    const DATA_DIR = await prepareDataFolder(join(path, 'data'));
    const { last } = await liveThroughKills(() => start({ DATA_DIR }), effort(1, 10));
    await last.kill('SIGKILL');
    const database = await openEmbedded(DATA_DIR);
    context.onTestFinished(() => database.close());
    const ask = (text: string) => database.query<{ session_id: string }>('everyday', { name: '', text }, []);
    expect(await ask(wrong)).toEqual([]);
    const left = await ask(stillActive);
    expect(left.length).toBeGreaterThan(0);
    for (const text of aMinuteLater) await ask(text);
    let lost = 0;
    const counts = { connected: () => undefined, metered: () => undefined };
    const countLost = (sessions: number) => {
      lost += sessions;
    };
    await endSilentSessions({
      database,
      log: pino({ level: 'silent' }),
      counts: { ...counts, lost: countLost },
    });
    expect(lost).toBe(left.length);
    expect(await ask(stillActive)).toEqual([]);
    expect(await ask(wrong)).toEqual([]);
  });
});
