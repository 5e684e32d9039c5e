import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { Environment } from './environment.ts';
import type { Target } from './report.ts';
import { type Entry, interleaved, type Pace, ratios } from './rounds.ts';
import { type GrowthFigure, growthTargets } from './targets.ts';
import { provision, requests } from './world.ts';

const scenarios = ['server mint', 'server mint, fresh key', 'session read'];

/** Measures the same scenarios with a thousand stored sessions and with `sessions` stored sessions. */
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
  // Many short rounds: a shared machine varies by more than 10 % from one second to the next.
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

/** Inserts copies of the minted session directly into the table, as sessions of the past. */
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
    // Writes the inserted rows to disk now, so that no checkpoint runs during the measurement.
    await client.query('CHECKPOINT');
  });
}
