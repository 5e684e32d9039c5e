import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ownProgram } from './contestant.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './options.ts';
import { machine, number, percent, table } from './report.ts';
import { type Entry, figures, interleaved, type Pace, ratios, type ScenarioResult } from './rounds.ts';
import { median, medianInterval, spread } from './statistics.ts';
import { provision, requests } from './world.ts';

const run = promisify(execFile);

/** Minimum throughput and maximum CPU time of this build, as shares of the other build's. */
const wanted = 0.99;
const maxCpu = 1.01;

export interface Build {
  program: string;
  /** Output of `git describe`, or the folder. */
  name: string;
}

export interface Pair {
  engine: string;
  scenario: string;
  ours: ScenarioResult;
  other: ScenarioResult;
}

export const thisBuild = (): Promise<Build> => buildOf(ownProgram);

/** Finds the build in another checkout. Throws a UsageError if it cannot run. */
export async function otherBuild(folder: string): Promise<Build> {
  const program = join(folder, 'server', 'bin', 'session-launch.js');
  if (!existsSync(program)) throw new UsageError(`--against: there is no ${program}`);
  return buildOf(program);
}

async function buildOf(program: string): Promise<Build> {
  // Also compiles the build if necessary. A build that cannot start fails here with its error output.
  await run(process.execPath, [program, '--version']).catch((error: { stderr?: string }) => {
    throw new UsageError(`${program} does not run:\n${error.stderr ?? error}`);
  });
  const folder = resolve(program, '../../..');
  const described = await run('git', ['-C', folder, 'describe', '--always', '--dirty']).catch(
    () => undefined,
  );
  return { program, name: described?.stdout.trim() || folder };
}

const onPostgres = ['server mint', 'server mint, fresh key', 'server mint, replay', 'browser mint'];
const onEmbedded = ['server mint'];

/**
 * Rounds per process start. JIT decisions of the first seconds persist, so two processes of one build differ by up to 8 %, far more than
 * two rounds of one process.
 */
const roundsOfAStart = 1;

/** Measures the mints of two builds; within a round, each scenario runs on one build and then on the other. */
export async function sideBySide(
  environment: Environment,
  ours: Build,
  other: Build,
  { rounds, ...pace }: Pace,
): Promise<Pair[]> {
  const starts: Pair[][] = [];
  const count = Math.ceil(rounds / roundsOfAStart);
  for (let i = 0; i < count; i++) {
    environment.progress(`starting both builds, ${i + 1}/${count}`);
    const ofStart = Math.min(roundsOfAStart, rounds - i * roundsOfAStart);
    starts.push(await oneStart(environment, i, [ours, other], { ...pace, rounds: ofStart }));
  }
  return starts.reduce((all, more) => all.map((pair, i) => joined(pair, more[i]!)));
}

async function oneStart(
  environment: Environment,
  n: number,
  [ours, other]: [Build, Build],
  pace: Pace,
): Promise<Pair[]> {
  // The builds take turns at starting and running first.
  const ourPlace = n % 2;
  const [one, two] = ourPlace === 0 ? [ours, other] : [other, ours];
  const first = await startBuild(environment, 'first', n, one);
  const second = await startBuild(environment, 'second', n, two);
  const entries = first.entries.flatMap((entry, i) => [entry, second.entries[i]!]);
  const results = await interleaved(environment, entries, pace);
  await Promise.all([first.stop(), second.stop()]);
  return first.entries.map(({ scenario }, i) => ({
    engine: i < onPostgres.length ? 'PostgreSQL' : 'embedded',
    scenario,
    ours: results[2 * i + ourPlace]!,
    other: results[2 * i + 1 - ourPlace]!,
  }));
}

function joined(pair: Pair, more: Pair): Pair {
  const both = (a: ScenarioResult, b: ScenarioResult) => ({ ...a, rounds: [...a.rounds, ...b.rounds] });
  return { ...pair, ours: both(pair.ours, more.ours), other: both(pair.other, more.other) };
}

/** Starts a build on PostgreSQL and on the embedded engine. */
async function startBuild(
  environment: Environment,
  name: string,
  n: number,
  { program }: Build,
): Promise<{ entries: Entry[]; stop(): Promise<unknown> }> {
  // Only mints are compared, and older builds have no runtime. The cost of an idle runtime is not measured here.
  const options = { program, env: { RUNTIME: 'off' } };
  const postgres = await environment.onPostgres(await environment.database(`${name}_${n}`), options);
  const embedded = await environment.embedded(options);
  const [all, allEmbedded] = [
    await requests(postgres, await provision(postgres)),
    await requests(embedded, await provision(embedded)),
  ];
  const pids = [postgres.pid, environment.postgresPid];
  const entries = [
    ...onPostgres.map((scenario) => {
      return { contestant: `${name}, PostgreSQL`, scenario, request: all[scenario]!, pids };
    }),
    ...onEmbedded.map((scenario) => {
      const request = allEmbedded[scenario]!;
      return { contestant: `${name}, embedded`, scenario, request, pids: [embedded.pid] };
    }),
  ];
  return { entries, stop: () => Promise.all([postgres.stop(), embedded.stop()]) };
}

export type Verdict = 'yes' | 'no' | 'unclear';

/** `unclear`: a median is beyond its limit, but with more rounds it might not be. */
export function verdictOf({ ours, other }: Pair): Verdict {
  const throughput = ratios(ours, other, 'perSecond');
  const cpu = ratios(ours, other, 'cpu');
  // Not every system tells the CPU time of processes.
  const isMeasured = cpu.every(Number.isFinite);
  if (median(throughput) >= wanted && !(isMeasured && median(cpu) > maxCpu)) return 'yes';
  const [, highest] = medianInterval(throughput);
  const [lowest] = medianInterval(cpu);
  return highest < wanted || (isMeasured && lowest > maxCpu) ? 'no' : 'unclear';
}

export function sideBySideMarkdown(ours: Build, other: Build, pace: Pace, pairs: readonly Pair[]): string {
  return [
    '# This build beside another',
    '',
    `This: ${ours.name}. Other: ${other.name}.`,
    `${pace.rounds} interleaved rounds of ${pace.seconds} s each, ${roundsOfAStart} with each pair of processes, ${pace.connections} connections. Machine: ${machine()}. Node.js ${process.version}.`,
    'Ratios are this/other in the same round: the median, half the distance between the extremes, and where the median lies with',
    '95 % confidence. More throughput and less CPU time are better.',
    '',
    ...table(
      `| Engine | Scenario | Requests/s, this | other | Throughput ratio | ± | 95 % | ≥ ${wanted}, CPU ≤ ${maxCpu} | CPU µs, this | other | CPU ratio | ± | 95 % |`,
      '|---|---|---:|---:|---:|---:|---|---|---:|---:|---:|---:|---|',
      pairs.map(pairRow),
    ),
  ].join('\n');
}

function pairRow(pair: Pair): string[] {
  const { engine, scenario, ours, other } = pair;
  const verdict = verdictOf(pair);
  return [
    engine,
    scenario,
    number(median(figures(ours, 'perSecond')), 0),
    number(median(figures(other, 'perSecond')), 0),
    ...ratioCells(ratios(ours, other, 'perSecond')),
    verdict === 'yes' ? verdict : `**${verdict}**`,
    number(median(figures(ours, 'cpu')), 0),
    number(median(figures(other, 'cpu')), 0),
    ...ratioCells(ratios(ours, other, 'cpu')),
  ];
}

function ratioCells(values: readonly number[]): string[] {
  const [from, to] = medianInterval(values);
  return [number(median(values), 2), percent(spread(values)), `${number(from, 2)} to ${number(to, 2)}`];
}
