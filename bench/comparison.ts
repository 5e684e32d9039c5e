import { createRequire } from 'node:module';
import { type Contestant, startProgram } from './contestant.ts';
import type { Environment } from './environment.ts';
import { measureGrowth } from './growth.ts';
import { measureMemory } from './memory.ts';
import type { Report, Steady } from './report.ts';
import { type Entry, figures, interleaved, type Pace } from './rounds.ts';
import { median } from './statistics.ts';
import { cpuTargets, type Find, latencyTarget, throughputTargets } from './targets.ts';
import { provision, type Request, requests, serverMint } from './world.ts';

/** Measures our service on both engines, the floor and the alternatives. */
export async function compare(environment: Environment, pace: Pace, sessions: number): Promise<Report> {
  const { postgresPid, started } = environment;
  environment.progress('starting the contestants');
  const postgres = await environment.onPostgres(await environment.database('ours'));
  const world = await provision(postgres);
  const embedded = await environment.embedded();
  const embeddedWorld = await provision(embedded);
  const floor = await started(startProgram('contestants/floor.ts', { ANSWER: world.launch }));
  const limit = await started(
    startProgram('contestants/limit.ts', {
      ANSWER: world.launch,
      DATABASE_URL: await environment.database('limit_of_mints'),
    }),
  );
  const byHand = await started(
    startProgram('contestants/by-hand.ts', {
      ANSWER: world.launch,
      API_KEY: world.apiKey,
      DATABASE_URL: await environment.database('by_hand'),
    }),
  );
  const livekit = await started(startProgram('contestants/livekit.ts', {}));

  const other = (name: string, { url, pid }: Contestant, ...pids: number[]): Entry => {
    return { contestant: name, scenario: name, request: serverMint(url, world.apiKey), pids: [pid, ...pids] };
  };
  const ours = (contestant: string, all: Record<string, Request>, pids: number[]): Entry[] =>
    Object.entries(all).map(([scenario, request]) => ({ contestant, scenario, request, pids }));
  const entries: Entry[] = [
    other('floor', floor),
    other('limit', limit, postgresPid),
    other('by hand', byHand, postgresPid),
    other('LiveKit recipe', livekit),
    ...ours('ours, PostgreSQL', await requests(postgres, world), [postgres.pid, postgresPid]),
    ...ours('ours, embedded', await requests(embedded, embeddedWorld), [embedded.pid]),
  ];
  const results = await interleaved(environment, entries, pace);
  const find: Find = (contestant, scenario) =>
    results.find((r) => r.contestant === contestant && r.scenario === scenario)!;

  const mintOf = (contestant: string) =>
    entries.find((e) => e.contestant === contestant && e.scenario === 'server mint')!;
  const half = (contestant: string) => {
    const maximum = median(figures(find(contestant, 'server mint'), 'perSecond'));
    return steadyHalf(environment, mintOf(contestant), entries[0]!, maximum, pace);
  };
  const onPostgres = await half('ours, PostgreSQL');
  const onEmbedded = await half('ours, embedded');
  const targets = [...cpuTargets(find), latencyTarget(onPostgres), ...throughputTargets(find)];
  if (sessions > 0) {
    const memory = (engine: string, contestant: Contestant, key: string, megabytes: number) =>
      measureMemory(environment, engine, contestant, serverMint(contestant.url, key), sessions, megabytes);
    targets.push(
      ...(await measureGrowth(environment, sessions, pace)),
      ...(await memory('PostgreSQL', postgres, world.apiKey, 200)),
      ...(await memory('embedded', embedded, embeddedWorld.apiKey, 700)),
    );
  }
  return {
    ...pace,
    date: new Date().toISOString().slice(0, 10),
    versions: versions(environment),
    results,
    steady: [onPostgres, onEmbedded],
    targets,
    facts: [
      ['First start, PostgreSQL (empty database)', `${(postgres.startMs / 1000).toFixed(1)} s`],
      ['First start, embedded (empty folder)', `${(embedded.startMs / 1000).toFixed(1)} s`],
    ],
  };
}

/** Measures latency at half of the maximum throughput, in turn with the floor at the same rate. */
async function steadyHalf(
  environment: Environment,
  mint: Entry,
  floor: Entry,
  maximum: number,
  pace: Pace,
): Promise<Steady> {
  const rate = Math.max(1, Math.round(maximum / 2));
  environment.progress(`steady half of the maximum, ${mint.contestant}: ${rate} requests/s`);
  // Enough connections that no request waits for a free one.
  const steady = { ...pace, connections: 512, rate };
  const [beside, ours] = await interleaved(environment, [floor, mint], steady);
  return { contestant: mint.contestant, rate, ours: ours!, floor: beside! };
}

const require = createRequire(import.meta.url);

function versions({ postgresVersion }: Environment): Record<string, string> {
  const of = (name: string) => (require(`${name}/package.json`) as { version: string }).version;
  return {
    'Node.js': process.version,
    PostgreSQL: postgresVersion,
    Fastify: of('fastify'),
    Express: of('express'),
    autocannon: of('autocannon'),
  };
}
