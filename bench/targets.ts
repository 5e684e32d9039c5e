import type { MemoryPoint } from './growth.ts';
import type { Measured } from './load.ts';
import { percent, type ScenarioResult, type Target } from './report.ts';
import { median } from './statistics.ts';

type Find = (contestant: string, scenario: string) => ScenarioResult;

const postgres = 'ours, PostgreSQL';
const embedded = 'ours, embedded';

/** What the service has to reach, as ratios inside one run. */
const wanted: [string, string, number][] = [
  [postgres, 'server mint', 0.3],
  [postgres, 'server mint, fresh key', 0.25],
  [postgres, 'browser mint', 0.22],
  [postgres, 'server mint, replay', 0.3],
  [embedded, 'server mint', 0.2],
  [postgres, 'catalog, not modified', 0.6],
  [postgres, 'session read', 0.4],
];

export function ratioTargets(find: Find): Target[] {
  const ofFloor = wanted.map(([contestant, scenario, atLeast]) =>
    target(`${contestant}: ${scenario}`, median(find(contestant, scenario).ratios), atLeast, '× floor'),
  );
  const mint = find(postgres, 'server mint').perSecond;
  const byHand = find('by hand', 'by hand').perSecond;
  const ratio = median(mint.map((value, round) => value / byHand[round]!));
  return [...ofFloor, target(`${postgres}: server mint`, ratio, 2.5, '× by hand')];
}

function target(name: string, value: number, atLeast: number, unit: string): Target {
  return {
    name,
    wanted: `≥ ${atLeast} ${unit}`,
    measured: `${value.toFixed(2)} ${unit}`,
    reached: value >= atLeast,
  };
}

export function latencyTarget(steady: Measured): Target {
  return {
    name: `${postgres}: server mint, p99 at a steady half of the maximum`,
    wanted: '≤ 20 ms',
    measured: `${steady.p99} ms`,
    reached: steady.p99 <= 20,
  };
}

export function growthTargets(names: string[], results: ScenarioResult[], sessions: number): Target[] {
  return names.map((scenario) => {
    const of = (contestant: string) =>
      results.find((r) => r.contestant === contestant && r.scenario === scenario)!;
    const [small, large] = [of('1000').perSecond, of(String(sessions)).perSecond];
    const ratio = median(large.map((value, round) => value / small[round]!));
    return {
      name: `${scenario}: ${sessions} sessions stored against 1000`,
      wanted: '≥ 90 %',
      measured: percent(ratio),
      reached: ratio >= 0.9,
    };
  });
}

export function memoryTarget(engine: string, points: MemoryPoint[], limitMegabytes: number): Target[] {
  const megabytes = points.map((point) => point.residentBytes / 2 ** 20);
  const last = megabytes.at(-1) ?? Number.NaN;
  // The first tenth still fills caches and warms the heap up.
  const settled = megabytes[Math.ceil(megabytes.length / 10)] ?? Number.NaN;
  const growth = last / settled;
  return [
    {
      name: `resident memory, ${engine}, after ${points.at(-1)?.minted} mints`,
      wanted: `< ${limitMegabytes} MB`,
      measured: `${Math.round(last)} MB (most: ${Math.round(Math.max(...megabytes))} MB)`,
      reached: Math.max(...megabytes) < limitMegabytes,
    },
    {
      name: `resident memory, ${engine}, from a tenth of those mints to the end`,
      wanted: 'flat: ≤ 110 %',
      measured: percent(growth),
      reached: growth <= 1.1,
    },
  ];
}
