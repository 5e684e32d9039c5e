import { arch, cpus, platform, totalmem } from 'node:os';
import { figures, ratios, type ScenarioResult } from './rounds.ts';
import { median, spread } from './statistics.ts';

export interface Target {
  name: string;
  wanted: string;
  measured: string;
  /** Absent if it could not be measured. */
  reached: boolean | undefined;
}

/** A contestant at half of its maximum rate, and the floor at the same rate. */
export interface Steady {
  contestant: string;
  rate: number;
  ours: ScenarioResult;
  floor: ScenarioResult;
}

export interface Report {
  date: string;
  versions: Record<string, string>;
  rounds: number;
  seconds: number;
  connections: number;
  /** The first one is the floor. */
  results: ScenarioResult[];
  steady: Steady[];
  targets: Target[];
  facts: [string, string][];
}

export function markdown(report: Report): string {
  const { rounds, seconds, connections, results } = report;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Benchmark results',
    '',
    `Measured ${report.date} in one run: ${rounds} interleaved rounds of ${seconds} s each, ${connections} connections.`,
    `Machine: ${machine()}. ${versions.join(', ')}.`,
    'CPU is user and system time of all processes of a contestant, PostgreSQL included, for one request. Figures are medians;',
    '"× floor" compares with the floor of the same round, and ± is half the distance between the extremes. See [README.md](README.md).',
    '',
    '![CPU time and throughput against the floor](results.svg)',
    '',
    ...table(
      '| Contestant | Scenario | CPU µs | × floor | ± | Requests/s | × floor | ± | p50 ms | p99 ms |',
      '|---|---|---:|---:|---:|---:|---:|---:|---:|---:|',
      results.map((result) => scenarioRow(result, results[0]!)),
    ),
    '## A steady half of the maximum',
    '',
    'Server mints at an even pace, and the floor at the same rate in turn with them.',
    '',
    ...table(
      '| Contestant | Requests/s | p50 ms | floor | p99 ms | floor | p99 × floor | ± |',
      '|---|---:|---:|---:|---:|---:|---:|---:|',
      report.steady.map(steadyRow),
    ),
    '## Targets',
    '',
    ...table(
      '| Target | Wanted | Measured | Reached |',
      '|---|---|---|---|',
      report.targets.map(({ name, wanted, measured, reached }) => [name, wanted, measured, answer(reached)]),
    ),
    '## Also measured',
    '',
    ...table('| | |', '|---|---|', report.facts),
  ].join('\n');
}

export function table(head: string, rule: string, rows: readonly (readonly string[])[]): string[] {
  return [head, rule, ...rows.map((cells) => `| ${cells.join(' | ')} |`), ''];
}

function scenarioRow(result: ScenarioResult, floor: ScenarioResult): string[] {
  const [cpu, perSecond] = [ratios(result, floor, 'cpu'), ratios(result, floor, 'perSecond')];
  return [
    result.contestant,
    result.scenario,
    number(median(figures(result, 'cpu')), 0),
    number(median(cpu), 2),
    percent(spread(cpu)),
    number(median(figures(result, 'perSecond')), 0),
    number(median(perSecond), 2),
    percent(spread(perSecond)),
    number(median(figures(result, 'p50')), 0),
    number(median(figures(result, 'p99')), 0),
  ];
}

function steadyRow({ contestant, rate, ours, floor }: Steady): string[] {
  const ms = (of: ScenarioResult, figure: 'p50' | 'p99') => number(median(figures(of, figure)), 1);
  const p99 = ratios(ours, floor, 'p99');
  return [
    contestant,
    String(rate),
    ms(ours, 'p50'),
    ms(floor, 'p50'),
    ms(ours, 'p99'),
    ms(floor, 'p99'),
    number(median(p99), 2),
    percent(spread(p99)),
  ];
}

function answer(reached: boolean | undefined): string {
  if (reached === undefined) return '';
  return reached ? 'yes' : '**no**';
}

/** Formats a number; a dash if it could not be measured. */
export function number(value: number, digits: number): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

export function percent(part: number): string {
  return Number.isFinite(part) ? `${Math.round(part * 100)} %` : '–';
}

export function machine(): string {
  const cpu = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpu.length} × ${cpu[0]?.model.trim() || 'unknown'}, ${memory} GiB, ${platform()} ${arch()}`;
}
