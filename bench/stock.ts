import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { adminReads } from './admin/reads.ts';
import { adminToken, type Contestant } from './contestant.ts';
import type { Environment } from './environment.ts';
import { fillSessions } from './growth.ts';
import type { Target } from './report.ts';
import { medianMs, mintMany, Runtime } from './runtimes.ts';
import { median, medianInterval } from './statistics.ts';
import { provision, type Request, serverMint } from './world.ts';

/** Sessions that a round mints, connects and ends, eight at a time. */
const each = 96;
const atOnce = 8;
/** Batches of the retention period in a round, of ten sessions as in the service. */
const deletions = 20;

interface Side {
  contestant: Contestant;
  mint: Request;
  runtime: Runtime;
  apiKey: string;
  url: string;
  /** Median milliseconds of each round, by what was measured. */
  times: Map<string, number[]>;
}

/**
 * Measures the same calls on a database with the settings of the server and on one with just-in-time compilation off. The server has to be
 * one that compiles: an installed PostgreSQL.
 */
export async function measureStock(
  environment: Environment,
  rounds: number,
  sessions: number,
): Promise<Target[]> {
  const sides: Side[] = [];
  for (const name of ['untouched', 'without_jit']) {
    const url = await environment.database(name);
    if (name === 'without_jit')
      await onDatabase(url, (client) => client.query(`ALTER DATABASE ${name} SET jit = off`));
    const contestant = await environment.onPostgres(url);
    const { apiKey } = await provision(contestant);
    environment.progress(`storing ${sessions} sessions`);
    await fillSessions(url, sessions);
    // With a limit, connects lock the counter of the project. The stored sessions count as rolled up, so they may be deleted.
    await onDatabase(url, async (client) => {
      await client.query('UPDATE projects SET concurrent_sessions = 1000000');
      await client.query(
        `INSERT INTO usage_progress (below, next, revisions_below) VALUES ('ses_00z', 'ses_00z', 'ses_00z')
         ON CONFLICT (is_only)
         DO UPDATE SET below = EXCLUDED.below, next = EXCLUDED.next, revisions_below = EXCLUDED.revisions_below`,
      );
    });
    const mint = serverMint(contestant.url, apiKey);
    sides.push({
      contestant,
      mint,
      apiKey,
      url,
      runtime: new Runtime(contestant, 'rt_bench'),
      times: new Map(),
    });
  }
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round++) {
    environment.progress(`round ${round}/${rounds}`);
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
      for (const [name, ms] of await oneRound(side)) {
        if (round > 0) side.times.set(name, [...(side.times.get(name) ?? []), ms]);
      }
    }
  }
  const [untouched, without] = sides;
  for (const { runtime } of sides) runtime.close();
  return [...untouched!.times].map(([name, times]): Target => {
    const ratios = times.map((ms, i) => ms / without!.times.get(name)![i]!);
    const [low, high] = medianInterval(ratios);
    return {
      name: `${name} (${median(times).toFixed(2)} ms)`,
      wanted: '≤ 1.1 ×',
      measured: `${median(ratios).toFixed(2)} × (${low.toFixed(2)} to ${high.toFixed(2)})`,
      reached: median(ratios) <= 1.1,
    };
  });
}

async function oneRound({
  contestant,
  mint,
  runtime,
  apiKey,
  url,
}: Side): Promise<[name: string, ms: number][]> {
  const launches: Awaited<ReturnType<typeof mintMany>> = [];
  const together = <T>(items: readonly T[], work: (item: T) => Promise<void>) =>
    medianMs(chunks(items).map((chunk) => async () => void (await Promise.all(chunk.map(work)))));
  const get = async (path: string, init: RequestInit) => {
    const response = await fetch(path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const mints = await medianMs(
    Array.from(
      { length: each / atOnce },
      () => async () => void launches.push(...(await mintMany(mint, atOnce))),
    ),
  );
  const connects = await together(launches, (launch) => runtime.connect(launch));
  const reports = await medianMs(Array.from({ length: 20 }, () => () => runtime.report(runtime.sessionIds)));
  const ends = await together(runtime.sessionIds.splice(0), (id) =>
    get(`${contestant.url}/v1/sessions/${id}/end`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}` },
    }),
  );
  const retention = await onDatabase(url, (client) => {
    const batch = () =>
      client.query(`SELECT * FROM delete_old_sessions('', 'ses_00z', now() + interval '1 day', 10)`);
    return medianMs(Array.from({ length: deletions }, () => async () => void (await batch())));
  });
  const measured: [string, number][] = [
    [`${atOnce} mints`, mints],
    [`${atOnce} connects`, connects],
    [`report of ${each} sessions`, reports],
    [`${atOnce} ends`, ends],
    ['10 deletions of the retention period', retention],
  ];
  const headers = { authorization: `Bearer ${adminToken}` };
  const names = {
    projectId: 'prj_bench',
    experienceId: 'exp_bench_0',
    sessionId: launches[0]!.sessionId,
    userId: 'user-1',
  };
  for (const path of adminReads(names)) {
    const read = () => get(`${contestant.adminUrl}${path}`, { headers });
    measured.push([
      // The same name in each round.
      `GET ${path.replace(/\w+_bench\w*|ses_\w+/, '…').replaceAll(/\d{4}-\d\d-\d\d[\w:.]*/g, '…')}`,
      await medianMs(Array.from({ length: 5 }, () => read)),
    ]);
  }
  return measured;
}

function chunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / atOnce) }, (_, i) =>
    items.slice(i * atOnce, (i + 1) * atOnce),
  );
}
