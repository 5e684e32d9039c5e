import { setTimeout as sleep } from 'node:timers/promises';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { Contestant } from './contestant.ts';
import type { Environment } from './environment.ts';
import { fillSessions } from './growth.ts';
import type { Target } from './report.ts';
import type { Pace } from './rounds.ts';
import { medianMs, mintMany, Runtime } from './runtimes.ts';
import { median, medianInterval } from './statistics.ts';
import { besideMints } from './steady-half.ts';
import { provision, type Request, serverMint } from './world.ts';

const reportEveryMs = 5_000;

/** Measures connects and reports: their effect on mints, and whether they slow down with the number of stored sessions. */
export async function measureLifecycle(
  environment: Environment,
  pace: Pace,
  sessions: number,
): Promise<Target[]> {
  return [
    ...(await besideReports(environment, pace)),
    ...(await withManyStored(environment, pace.rounds, sessions)),
  ];
}

interface Side {
  contestant: Contestant;
  mint: Request;
  url: string;
}

async function started(environment: Environment, name: string): Promise<Side> {
  const url = await environment.database(name);
  const contestant = await environment.onPostgres(url);
  const { apiKey } = await provision(contestant);
  return { contestant, mint: serverMint(contestant.url, apiKey), url };
}

/** Measures mints beside two runtimes that report 500 sessions each. */
async function besideReports(environment: Environment, pace: Pace): Promise<Target[]> {
  const { contestant, mint } = await started(environment, 'beside_mints');
  environment.progress('beginning 1000 sessions');
  const runtimes = [new Runtime(contestant, 'rt_one'), new Runtime(contestant, 'rt_two')];
  for (const [n, launch] of (await mintMany(mint, 1_000)).entries()) await runtimes[n % 2]!.connect(launch);
  const reports = { name: 'reports', start: async () => startReports(runtimes) };
  const { rate, ratios } = await besideMints(environment, mint, pace, reports);
  for (const runtime of runtimes) runtime.close();
  return [
    {
      name: `p99 of ${rate} mints a second, with 1,000 sessions reported`,
      wanted: '≤ 1.25 ×',
      measured: shown(ratios),
      reached: median(ratios) <= 1.25,
    },
  ];
}

/** Each runtime reports every five seconds, half an interval apart. */
function startReports(runtimes: readonly Runtime[]): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopped.signal }).catch(() => undefined);
  const running = runtimes.map(async (runtime, n) => {
    await pause((n * reportEveryMs) / runtimes.length);
    while (!stopped.signal.aborted) {
      await runtime.report(runtime.sessionIds);
      await pause(reportEveryMs);
    }
  });
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

const each = 200;
const reported = 100;

/** Measures connects and reports with 1,000 stored sessions, all active, and with `sessions` stored sessions, 1 % of them active. */
async function withManyStored(environment: Environment, rounds: number, sessions: number): Promise<Target[]> {
  const { progress } = environment;
  const sides = [];
  for (const [name, stored, active] of [
    ['alive_few', 1_000, 1_000],
    ['alive_many', sessions, Math.floor(sessions / 100)],
  ] as const) {
    const side = await started(environment, name);
    progress(`storing ${stored} sessions, ${active} of them active`);
    await fillSessions(side.url, stored);
    const ids = await beginStored(side.url, active);
    const runtime = new Runtime(side.contestant, 'rt_bench');
    sides.push({ mint: side.mint, runtime, ids, connects: [] as number[], reports: [] as number[] });
  }
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds * 3; round++) {
    progress(`round ${round}/${rounds * 3}: connects and reports`);
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
      const { runtime, ids } = side;
      const launches = await mintMany(side.mint, each);
      const connect = await medianMs(launches.map((launch) => () => runtime.connect(launch)));
      const report = await medianMs(Array.from({ length: each }, () => () => runtime.report(ids)));
      // Ends the connected sessions, so that every round has the same number of active ones.
      await runtime.report(runtime.sessionIds.splice(0), 'client_ended');
      if (round === 0) continue;
      side.connects.push(connect);
      side.reports.push(report);
    }
  }
  const [few, many] = sides;
  for (const { runtime } of sides) runtime.close();
  const growth = (name: string, of: 'connects' | 'reports'): Target => {
    const ratios = many![of].map((ms, i) => ms / few![of][i]!);
    return {
      name: `${name}, ${sessions} stored instead of 1000 (${median(many![of]).toFixed(2)} ms)`,
      wanted: '≤ 1.1 ×',
      measured: shown(ratios),
      reached: median(ratios) <= 1.1,
    };
  };
  return [growth('connect', 'connects'), growth(`report of ${reported} sessions`, 'reports')];
}

/**
 * Marks stored sessions as active, as if a runtime had connected them, with a last report that does not time out during a run. Returns the
 * ids for one report.
 */
async function beginStored(url: string, active: number): Promise<string[]> {
  return onDatabase(url, async (client) => {
    await client.query(
      `WITH begun AS (
         UPDATE sessions SET started_at = created_at, runtime_id = 'rt_bench'
          WHERE id IN (SELECT id FROM sessions WHERE started_at IS NULL ORDER BY id DESC LIMIT $1)
         RETURNING id, project_id, runtime_id, started_at)
       INSERT INTO active_sessions SELECT id, project_id, runtime_id, started_at, now() + interval '1 day', 0 FROM begun`,
      [active],
    );
    await client.query('VACUUM ANALYZE sessions, active_sessions');
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ id: string }>(
      'SELECT session_id AS id FROM active_sessions ORDER BY session_id LIMIT $1',
      [reported],
    );
    return rows.map(({ id }) => id);
  });
}

function shown(ratios: readonly number[]): string {
  const [low, high] = medianInterval(ratios);
  return `${median(ratios).toFixed(2)} × (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

export function lifecycleMarkdown(targets: readonly Target[], { rounds, seconds }: Pace): string {
  return [
    `${rounds} rounds${seconds > 0 ? ` of ${seconds} s` : ''}. Medians, and where they lie with 95 % confidence.`,
    '',
    '| | wanted | measured | |',
    '|---|---:|---:|---|',
    ...targets.map(
      ({ name, wanted, measured, reached }) =>
        `| ${name} | ${wanted} | ${measured} | ${reached ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n');
}
