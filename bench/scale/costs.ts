import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import { type Contestant, measure } from '../contestant.ts';
import type { Environment } from '../environment.ts';
import { cpuSeconds } from '../processes.ts';
import type { Pace } from '../rounds.ts';
import { type Launch, mintMany, Runtime } from '../runtimes.ts';
import { median } from '../statistics.ts';
import { provision, type Request, serverMint } from '../world.ts';
import type { Cost, ScaleFigures } from './figures.ts';

type Costs = Pick<
  ScaleFigures,
  'mint' | 'keyedMint' | 'connectAndEnd' | 'report' | 'bytesPerClaim' | 'connections' | 'serviceBytes'
>;

/** Sessions that one simulated runtime reports. */
const reported = 500;
const reportsPerRound = 40;

/** Measures CPU time, write-ahead log, connections and memory of one process without a runtime. */
export async function measureCosts(environment: Environment, pace: Pace): Promise<Costs> {
  const { progress, signal } = environment;
  const url = await environment.database('costs');
  const service = await environment.onPostgres(url, { env: { RUNTIME: 'off' } });
  const { apiKey } = await provision(service);
  const mint = serverMint(service.url, apiKey);
  const keyed = { ...mint, freshKeys: true };
  const { connections, seconds } = pace;
  progress('costs: warm-up');
  await measure({ ...mint, connections, seconds: 3 }, signal);
  const costs: Record<'mint' | 'keyedMint' | 'connectAndEnd' | 'report', Cost[]> = {
    mint: [],
    keyedMint: [],
    connectAndEnd: [],
    report: [],
  };
  const cost = (work: () => Promise<number>) => costOf(environment, service, url, work);
  const load = async (request: Request) => {
    const { statuses } = await measure({ ...request, connections, seconds }, signal);
    return statuses[String(request.status)] ?? 0;
  };
  const runtime = new Runtime(service, 'rt_scale');
  const launches = await mintMany(mint, reported);
  await Promise.all(launches.map((launch) => runtime.connect(launch)));
  const active = [...runtime.sessionIds];
  let open = 0;
  for (let round = 1; round <= pace.rounds; round++) {
    progress(`costs: round ${round}/${pace.rounds}`);
    costs.mint.push(await cost(() => load(mint)));
    costs.keyedMint.push(await cost(() => load(keyed)));
    open = Math.max(open, await openConnections(url));
    const fresh = await mintMany(mint, reported);
    costs.connectAndEnd.push(await cost(() => connectAndEnd(runtime, fresh)));
    costs.report.push(
      await cost(async () => {
        for (let n = 0; n < reportsPerRound; n++) await runtime.report(active);
        return reportsPerRound * active.length;
      }),
    );
  }
  const serviceBytes = await service.residentBytes();
  runtime.close();
  const bytesPerClaim = await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ bytes: number }>(
      `SELECT pg_total_relation_size('idempotency_keys')::float8 / count(*) AS bytes FROM idempotency_keys`,
    );
    return rows[0]!.bytes;
  });
  await service.stop();
  return {
    mint: medianCost(costs.mint),
    keyedMint: medianCost(costs.keyedMint),
    connectAndEnd: medianCost(costs.connectAndEnd),
    report: medianCost(costs.report),
    bytesPerClaim,
    connections: open,
    serviceBytes,
  };
}

async function connectAndEnd(runtime: Runtime, launches: readonly Launch[]): Promise<number> {
  const ids = launches.map(({ sessionId }) => sessionId);
  for (let n = 0; n < launches.length; n += 8)
    await Promise.all(launches.slice(n, n + 8).map((launch) => runtime.connect(launch)));
  await runtime.report(ids, 'client_ended');
  return launches.length;
}

/** Divides what `work` costs by the number of operations that it returns. */
async function costOf(
  { postgresPid }: Environment,
  service: Contestant,
  url: string,
  work: () => Promise<number>,
): Promise<Cost> {
  return onDatabase(url, async (client) => {
    const position = async () => {
      const { rows } = await client.query<{ bytes: number }>(
        `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes`,
      );
      return {
        wal: rows[0]!.bytes,
        own: await cpuSeconds([service.pid]),
        db: await cpuSeconds([postgresPid]),
      };
    };
    const before = await position();
    const count = await work();
    const after = await position();
    return {
      serviceCpu: ((after.own - before.own) * 1e6) / count,
      databaseCpu: ((after.db - before.db) * 1e6) / count,
      walBytes: (after.wal - before.wal) / count,
    };
  });
}

async function openConnections(url: string): Promise<number> {
  return onDatabase(url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name LIKE 'session-launch%'`,
    );
    return rows[0]!.count;
  });
}

function medianCost(rounds: readonly Cost[]): Cost {
  const of = (name: keyof Cost) => median(rounds.map((round) => round[name]));
  return { serviceCpu: of('serviceCpu'), databaseCpu: of('databaseCpu'), walBytes: of('walBytes') };
}
