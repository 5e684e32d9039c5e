import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onDatabase } from '@session-launch/testing/postgres-server.ts';
import type { Build } from './against.ts';
import type { ConnectsLoad, ConnectsMeasured } from './connects-load.ts';
import type { Contestant } from './contestant.ts';
import type { Environment } from './environment.ts';
import { cpuSeconds } from './processes.ts';
import { type Launch, mintMany } from './runtimes.ts';
import { median, medianInterval } from './statistics.ts';
import { provision, type Request, serverMint } from './world.ts';

const tsx = createRequire(import.meta.url).resolve('tsx');
const connections = 128;
/** Sessions of a round that are connected one after the other, on otherwise idle processes. */
const single = 300;
/** Minimum ratio of the sessions a second. */
const wantedRate = 4;

/** Maximum ratio of the p99 of one connect alone, and of the CPU time for a session; a tenth for the noise of a few hundred connects. */
const maxRatio = 1.1;

/** What one build did in one round. */
interface Sample {
  /** Sessions that were connected and ended, per second. */
  perSecond: number;
  /** Microseconds of CPU time for a session: of both service processes, and of PostgreSQL. */
  serviceCpu: number;
  databaseCpu: number;
  /** Milliseconds of a connect on otherwise idle processes. */
  singleP50: number;
  singleP99: number;
}

interface Side {
  build: Build;
  services: Contestant[];
  apiKey: string;
  mint: Request;
  samples: Sample[];
}

/** Connects and ends sessions of one project with concurrentSessions through two processes of each build, in interleaved rounds. */
export async function measureConnects(
  environment: Environment,
  builds: readonly Build[],
  { rounds, sessions }: { rounds: number; sessions: number },
): Promise<Side[]> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-connects-'));
  try {
    const sides: Side[] = [];
    for (const [n, build] of builds.entries())
      sides.push(await startSide(environment, build, `connects_${n}`, folder));
    // The first round is a warm-up and does not count.
    for (let round = 0; round <= rounds; round++) {
      for (const side of round % 2 === 1 ? sides : sides.toReversed()) {
        environment.progress(`round ${round}/${rounds}: ${side.build.name}`);
        const sample = await oneRound(environment, side, sessions);
        if (round > 0) side.samples.push(sample);
      }
    }
    return sides;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function startSide(
  environment: Environment,
  build: Build,
  name: string,
  folder: string,
): Promise<Side> {
  const url = await environment.database(name);
  // Both processes verify the tokens of each other.
  const env = { RUNTIME: 'off', SIGNING_KEYS_FILE: join(folder, `${name}.json`) };
  const first = await environment.onPostgres(url, { program: build.program, env });
  const second = await environment.onPostgres(url, { program: build.program, env });
  const { apiKey } = await provision(first);
  await onDatabase(url, (client) => client.query('UPDATE projects SET concurrent_sessions = 1000000'));
  return { build, services: [first, second], apiKey, mint: serverMint(first.url, apiKey), samples: [] };
}

async function oneRound(environment: Environment, side: Side, sessions: number): Promise<Sample> {
  const { services, apiKey } = side;
  const launches = await mintMany(side.mint, sessions + single);
  const run = (some: Launch[], atOnce: number) =>
    load({ services, apiKey, launches: some, connections: atOnce });
  const alone = await run(launches.slice(0, single), 1);
  const ofServices = () => cpuSeconds(services.map(({ pid }) => pid));
  const ofDatabase = () => cpuSeconds([environment.postgresPid]);
  const before = [await ofServices(), await ofDatabase()];
  const { seconds } = await run(launches.slice(single), connections);
  const after = [await ofServices(), await ofDatabase()];
  return {
    perSecond: sessions / seconds,
    serviceCpu: ((after[0]! - before[0]!) * 1e6) / sessions,
    databaseCpu: ((after[1]! - before[1]!) * 1e6) / sessions,
    singleP50: alone.p50,
    singleP99: alone.p99,
  };
}

async function load(options: ConnectsLoad): Promise<ConnectsMeasured> {
  const program = fileURLToPath(new URL('connects-load.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', tsx, program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(options));
  const measured = JSON.parse(await text(child.stdout)) as ConnectsMeasured;
  if (measured.failures > 0) throw new Error(`${measured.failures} requests were not answered with 200`);
  return measured;
}

export const isFastEnough = (sides: readonly Side[]): boolean =>
  median(ratios(sides, 'perSecond')) >= wantedRate &&
  (['singleP99', 'serviceCpu', 'databaseCpu'] as const).every(
    (figure) => median(ratios(sides, figure)) <= maxRatio,
  );

function ratios([ours, other]: readonly Side[], figure: keyof Sample): number[] {
  return ours!.samples.map((sample, i) => sample[figure] / other!.samples[i]![figure]);
}

export function connectsMarkdown(sides: readonly Side[]): string {
  const [ours, other] = sides;
  const rows: [name: string, figure: keyof Sample, digits: number][] = [
    ['sessions connected and ended a second', 'perSecond', 0],
    ['CPU time of the service for a session, µs', 'serviceCpu', 0],
    ['CPU time of PostgreSQL for a session, µs', 'databaseCpu', 0],
    ['one connect alone, p50, ms', 'singleP50', 2],
    ['one connect alone, p99, ms', 'singleP99', 2],
  ];
  return [
    `This: ${ours!.build.name}. Other: ${other!.build.name}. ${ours!.samples.length} interleaved rounds, one project with`,
    `concurrentSessions, two processes, ${connections} connections. Medians; the ratio is this/other in the same round.`,
    '',
    '| | this | other | ratio | 95 % |',
    '|---|---:|---:|---:|---|',
    ...rows.map(([name, figure, digits]) => {
      const of = (side: Side) => median(side.samples.map((sample) => sample[figure])).toFixed(digits);
      const values = ratios(sides, figure);
      const [low, high] = medianInterval(values);
      return `| ${name} | ${of(ours!)} | ${of(other!)} | ${median(values).toFixed(2)} | ${low.toFixed(2)} to ${high.toFixed(2)} |`;
    }),
    '',
  ].join('\n');
}
