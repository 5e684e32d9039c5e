import { percent, type Steady, type Target } from './report.ts';
import { ratios, type ScenarioResult } from './rounds.ts';
import { median } from './statistics.ts';

export interface MemoryPoint {
  minted: number;
  residentBytes: number;
}

export type Find = (contestant: string, scenario: string) => ScenarioResult;

const postgres = 'ours, PostgreSQL';
const embedded = 'ours, embedded';

/** Maximum CPU time per request over all processes, as a multiple of the floor's in the same round. */
const cpuLimits: [string, string, number][] = [
  [postgres, 'server mint', 3],
  [postgres, 'server mint, fresh key', 4],
  [postgres, 'server mint, replay', 1.8],
  [embedded, 'server mint', 3.8],
];

export function cpuTargets(find: Find): Target[] {
  const relative = (contestant: string, scenario: string, to: string, most: number) => {
    const value = median(ratios(find(contestant, scenario), find(to, to), 'cpu'));
    return atMost(`${contestant}: ${scenario}, CPU time`, value, most, `× ${to}`);
  };
  return [
    ...cpuLimits.map(([contestant, scenario, most]) => relative(contestant, scenario, 'floor', most)),
    relative(postgres, 'server mint', 'limit', 1.5),
  ];
}

export function throughputTargets(find: Find): Target[] {
  const mint = find(postgres, 'server mint');
  const catalog = find(postgres, 'catalog, not modified');
  const ratio = (of: ScenarioResult, to: string) => median(ratios(of, find(to, to), 'perSecond'));
  return [
    atLeast(`${postgres}: server mint, throughput`, ratio(mint, 'by hand'), 4, '× by hand'),
    atLeast(`${postgres}: catalog, not modified, throughput`, ratio(catalog, 'floor'), 0.6, '× floor'),
  ];
}

export function latencyTarget({ contestant, ours, floor }: Steady): Target {
  const name = `${contestant}: server mint, p99 at a steady half of its maximum`;
  return atMost(name, median(ratios(ours, floor, 'p99')), 4, '× floor at the same rate');
}

export interface GrowthFigure {
  scenario: string;
  /** Throughput with many stored sessions, relative to few. */
  ratios: number[];
}

export function growthTargets(growth: readonly GrowthFigure[], sessions: number): Target[] {
  return growth.map(({ scenario, ratios }) => ({
    name: `${scenario}: ${sessions} sessions stored against 1000`,
    wanted: '≥ 90 %',
    measured: percent(median(ratios)),
    reached: median(ratios) >= 0.9,
  }));
}

export function memoryTargets(
  engine: string,
  points: readonly MemoryPoint[],
  limitMegabytes: number,
): Target[] {
  const megabytes = points.map((point) => point.residentBytes / 2 ** 20);
  const last = megabytes.at(-1) ?? Number.NaN;
  // The first tenth is the warm-up of caches and heap.
  const settled = megabytes[Math.ceil(megabytes.length / 10)] ?? Number.NaN;
  const growth = last / settled;
  const most = Math.max(...megabytes);
  return [
    {
      name: `resident memory, ${engine}, after ${points.at(-1)?.minted} mints`,
      wanted: `< ${limitMegabytes} MB`,
      ...verdict(last, most < limitMegabytes, `${Math.round(last)} MB (most: ${Math.round(most)} MB)`),
    },
    {
      name: `resident memory, ${engine}, from a tenth of those mints to the end`,
      wanted: 'flat: ≤ 110 %',
      ...verdict(growth, growth <= 1.1, percent(growth)),
    },
  ];
}

function atMost(name: string, value: number, limit: number, unit: string): Target {
  return { name, wanted: `≤ ${limit} ${unit}`, ...verdict(value, value <= limit, times(value)) };
}

function atLeast(name: string, value: number, limit: number, unit: string): Target {
  return { name, wanted: `≥ ${limit} ${unit}`, ...verdict(value, value >= limit, times(value)) };
}

const times = (value: number) => `${value.toFixed(2)} ×`;

/** Targets that cannot be measured on this system are neither reached nor missed. */
function verdict(value: number, reached: boolean, measured: string): Pick<Target, 'measured' | 'reached'> {
  return Number.isNaN(value) ? { measured: 'not measured here', reached: undefined } : { measured, reached };
}
