import { cpus, totalmem } from 'node:os';
import { median, spread } from './statistics.ts';

export interface ScenarioResult {
  contestant: string;
  scenario: string;
  /** One figure for each round. */
  perSecond: number[];
  /** Against the floor of the same round. */
  ratios: number[];
  p50: number[];
  p99: number[];
}

export interface Target {
  name: string;
  wanted: string;
  measured: string;
  reached: boolean;
}

export interface Report {
  date: string;
  versions: Record<string, string>;
  rounds: number;
  seconds: number;
  connections: number;
  results: ScenarioResult[];
  targets: Target[];
  facts: [string, string][];
}

export function markdown(report: Report): string {
  const cpu = cpus();
  const machine = `${cpu.length} × ${cpu[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`);
  return [
    '# Benchmark results',
    '',
    `Measured ${report.date} in one run: ${report.rounds} interleaved rounds of ${report.seconds} s each, ${report.connections} connections.`,
    `Machine: ${machine}. ${versions.join(', ')}.`,
    'Ratios compare with the floor of the same round; ± is half the distance between the extremes. See [README.md](README.md).',
    '',
    '![Throughput against the floor](results.svg)',
    '',
    '| Contestant | Scenario | Ratio to floor | ± | Requests/s | p50 ms | p99 ms |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...report.results.map(
      (r) =>
        `| ${r.contestant} | ${r.scenario} | ${median(r.ratios).toFixed(2)} | ${percent(spread(r.ratios))} | ${Math.round(median(r.perSecond))} | ${median(r.p50)} | ${median(r.p99)} |`,
    ),
    '',
    '## Targets',
    '',
    '| Target | Wanted | Measured | Reached |',
    '|---|---|---|---|',
    ...report.targets.map(
      (t) => `| ${t.name} | ${t.wanted} | ${t.measured} | ${t.reached ? 'yes' : '**no**'} |`,
    ),
    '',
    ...(report.facts.length === 0
      ? []
      : [
          '## Also measured',
          '',
          '| | |',
          '|---|---|',
          ...report.facts.map(([name, value]) => `| ${name} | ${value} |`),
          '',
        ]),
  ].join('\n');
}

export function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

const barHeight = 18;
const gap = 8;
const left = 250;
const width = 860;

/** Horizontal bars, the floor being 1. */
export function plot(results: readonly ScenarioResult[]): string {
  const scale = (width - left - 70) / Math.max(1, ...results.map((r) => median(r.ratios)));
  const height = results.length * (barHeight + gap) + 40;
  const colours: Record<string, string> = {
    floor: '#9aa5b1',
    'by hand': '#d08770',
    'LiveKit recipe': '#b48ead',
  };
  const bars = results.map((r, i) => {
    const y = 30 + i * (barHeight + gap);
    const ratio = median(r.ratios);
    const colour = colours[r.contestant] ?? (r.contestant.includes('embedded') ? '#5e9c76' : '#3b7ea1');
    const name = r.contestant === r.scenario ? r.contestant : `${r.contestant}: ${r.scenario}`;
    return (
      `<text x="${left - 10}" y="${y + 13}" text-anchor="end">${name}</text>` +
      `<rect x="${left}" y="${y}" width="${(ratio * scale).toFixed(1)}" height="${barHeight}" rx="3" fill="${colour}"/>` +
      `<text x="${(left + ratio * scale + 6).toFixed(1)}" y="${y + 13}">${ratio.toFixed(2)}</text>`
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#2e3440">`,
    '<title>Throughput of each scenario as a ratio to bare Fastify</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${left}" y="18" font-weight="600">Throughput, floor = 1 (bare Fastify with the same body and answer size)</text>`,
    ...bars,
    '</svg>',
    '',
  ].join('\n');
}
