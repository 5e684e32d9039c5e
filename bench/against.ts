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

/** How much of the other build's throughput has to be left. */
const wanted = 0.97;

export interface Build {
  program: string;
  /** What git calls it, or its folder. */
  name: string;
}

export interface Pair {
  engine: string;
  scenario: string;
  ours: ScenarioResult;
  other: ScenarioResult;
}

export const thisBuild = (): Promise<Build> => buildOf(ownProgram);

/** The build in another checkout. Throws a UsageError when it cannot run. */
export async function otherBuild(folder: string): Promise<Build> {
  const program = join(folder, 'server', 'bin', 'session-launch.js');
  if (!existsSync(program)) throw new UsageError(`--against: there is no ${program}`);
  return buildOf(program);
}

async function buildOf(program: string): Promise<Build> {
  // Also builds what is not built yet. A service that cannot start says why here, and not in a log that nobody keeps.
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
 * What the first seconds make of a process stays with it, above all what its compiler chose to do: two processes of one build differ by
 * up to 8 %. So a build is judged by several processes, each for so many rounds.
 */
const roundsOfAStart = 3;

/** The mints of two builds, in rounds in which each scenario of one is followed by the same of the other. */
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
  const first = await startBuild(environment, 'this', n, ours);
  const second = await startBuild(environment, 'other', n, other);
  const entries = first.entries.flatMap((entry, i) => [entry, second.entries[i]!]);
  const results = await interleaved(environment, entries, pace);
  await Promise.all([first.stop(), second.stop()]);
  return first.entries.map(({ scenario }, i) => ({
    engine: i < onPostgres.length ? 'PostgreSQL' : 'embedded',
    scenario,
    ours: results[2 * i]!,
    other: results[2 * i + 1]!,
  }));
}

function joined(pair: Pair, more: Pair): Pair {
  const both = (a: ScenarioResult, b: ScenarioResult) => ({ ...a, rounds: [...a.rounds, ...b.rounds] });
  return { ...pair, ours: both(pair.ours, more.ours), other: both(pair.other, more.other) };
}

/** Starts a build on both engines. */
async function startBuild(
  environment: Environment,
  name: string,
  n: number,
  { program }: Build,
): Promise<{ entries: Entry[]; stop(): Promise<unknown> }> {
  // Mints are compared, and older builds have no runtime. What one that has nobody to talk to takes from mints is its own matter.
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

/** Unclear is a median below the limit that more rounds might still lift above it. */
export function verdictOf({ ours, other }: Pair): Verdict {
  const throughput = ratios(ours, other, 'perSecond');
  if (median(throughput) >= wanted) return 'yes';
  const [, highest] = medianInterval(throughput);
  return highest < wanted ? 'no' : 'unclear';
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
      `| Engine | Scenario | Requests/s, this | other | Throughput ratio | ± | 95 % | ≥ ${wanted} | CPU µs, this | other | CPU ratio | ± | 95 % |`,
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
