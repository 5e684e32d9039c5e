import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { Environment } from './environment.ts';
import type { Target } from './report.ts';
import { type Entry, interleaved, type Pace, ratios } from './rounds.ts';
import { type GrowthFigure, growthTargets } from './targets.ts';
import { provision, requests } from './world.ts';

const scenarios = ['server mint', 'server mint, fresh key', 'session read'];

/** The same scenarios with a thousand sessions stored and with many more. */
export async function measureGrowth(
  environment: Environment,
  sessions: number,
  pace: Pace,
): Promise<Target[]> {
  const small = await prepared(environment, 'small', 1_000);
  const large = await prepared(environment, 'large', sessions);
  const entries = scenarios.flatMap((scenario): Entry[] => [
    { contestant: '1000 sessions', scenario, request: small[scenario]!, pids: [] },
    { contestant: `${sessions} sessions`, scenario, request: large[scenario]!, pids: [] },
  ]);
  // Many short rounds: a tenth is less than what a shared machine changes from one second to the next.
  const short = { ...pace, rounds: pace.rounds * 3, seconds: Math.min(pace.seconds, 2) };
  const results = await interleaved(environment, entries, short);
  const growth = scenarios.map((scenario, i): GrowthFigure => {
    return { scenario, ratios: ratios(results[2 * i + 1]!, results[2 * i]!, 'perSecond') };
  });
  return growthTargets(growth, sessions);
}

async function prepared(environment: Environment, name: string, sessions: number) {
  const url = await environment.database(name);
  const contestant = await environment.onPostgres(url);
  const world = await provision(contestant);
  environment.progress(`storing ${sessions} sessions`);
  await fillSessions(url, sessions);
  return requests(contestant, world);
}

/** Puts sessions of the past beside the ones that a run mints, straight into the table: like the one that is there. */
export async function fillSessions(databaseUrl: string, count: number): Promise<void> {
  await onDatabase(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO sessions
       SELECT stored.*
         FROM sessions minted, generate_series(1, $1::integer) i,
              LATERAL jsonb_populate_record(minted, jsonb_build_object(
                'id', 'ses_0' || lpad(to_hex(i), 25, '0'), 'experience_id', 'exp_bench_' || i % 100,
                'user_id', 'user-' || i % 5000, 'created_at', minted.created_at - interval '1 day')) stored
        WHERE minted.id = (SELECT id FROM sessions LIMIT 1)`,
      [count],
    );
    await client.query('VACUUM ANALYZE sessions');
    // What was filled in has to reach the disk at some time: better now than while something is measured.
    await client.query('CHECKPOINT');
  });
}
