import { Latencies } from './soak-latencies.ts';
import type { Ledger } from './soak-ledger.ts';
import type { Engine, SoakOptions } from './soak-options.ts';
import type { SoakResult, Stretch } from './soak-run.ts';
import { slope } from './statistics.ts';

export interface EngineReport {
  engine: Engine;
  result: SoakResult;
  /** The launches in the database after the service has stopped. */
  stored: Ledger;
}

/** Whether requests were sent, no response was unexpected, and the database holds exactly the acknowledged launches. */
export function isClean(report: EngineReport): boolean {
  const { stretches, unexpected } = report.result;
  return everything(stretches).count > 0 && unexpected.size === 0 && problemOf(report) === undefined;
}

/** Describes the difference between the acknowledged launches and the database. */
function problemOf({ result: { acknowledged, inDoubt }, stored }: EngineReport): string | undefined {
  if (inDoubt === 0 && stored.equals(acknowledged)) return undefined;
  const surplus = stored.count - acknowledged.count;
  if (surplus < 0) return `**${-surplus} acknowledged launches are missing**`;
  if (surplus <= inDoubt && inDoubt > 0) return undefined;
  return surplus === 0 ? '**not the acknowledged launches**' : `**${surplus} launches without a request**`;
}

/** Renders the report as Markdown: one row per engine, then one per kind of request. */
export function markdown(reports: EngineReport[], options: SoakOptions): string {
  const load =
    options.rate === undefined ? 'each as fast as it is answered' : `${options.rate} requests/s together`;
  return [
    `Measured ${new Date().toISOString().slice(0, 10)} with Node.js ${process.version}: ${options.connections} clients, ${load}.`,
    '',
    ...table(
      ['Engine', ...figureNames],
      ['---', ...figureNames.map(() => '---:')],
      reports.map((report) => [report.engine, ...figures(report)]),
    ),
    '',
    'Times of each kind of request in milliseconds, first → last quarter after the warm-up:',
    '',
    ...table(
      ['Engine', 'Request', 'Sent', 'p50', 'p99'],
      ['---', '---', '---:', '---:', '---:'],
      reports.flatMap(kindRows),
    ),
    '',
    ...surprises(reports),
  ].join('\n');
}

const figureNames = [
  'Minutes',
  'Requests',
  'Requests/s',
  'Launches acknowledged',
  'Launches stored',
  'Unexpected answers',
  'Memory, MB',
  'Memory, MB/h',
  'Heap, MB/h',
  'Event loop p99, ms',
  'p50, ms',
  'p99, ms',
];

function figures(report: EngineReport): string[] {
  const { result, stored } = report;
  const settled = afterWarmUp(result);
  const [first, last] = quarters(settled);
  const requests = everything(result.stretches).count;
  const change = (of: (stretches: Stretch[]) => number, digits = 1) =>
    [first, last].map((stretches) => shown(of(stretches), digits)).join(' → ');
  const growth = (of: (stretch: Stretch) => number) => megabytesAnHour(settled, of);
  return [
    (result.seconds / 60).toFixed(1),
    String(requests),
    shown(requests / result.seconds, 0),
    String(result.acknowledged.count),
    problemOf(report) === undefined ? String(stored.count) : `${stored.count} (${problemOf(report)})`,
    String([...result.unexpected.values()].reduce((sum, count) => sum + count, 0)),
    change((stretches) => mean(stretches.map((stretch) => stretch.residentMegabytes)), 0),
    growth((stretch) => stretch.residentMegabytes),
    growth((stretch) => stretch.heapMegabytes),
    change((stretches) => mean(stretches.map((stretch) => stretch.loopP99))),
    change((stretches) => everything(stretches).percentile(0.5)),
    change((stretches) => everything(stretches).percentile(0.99)),
  ];
}

function kindRows({ engine, result }: EngineReport): string[][] {
  const [first, last] = quarters(afterWarmUp(result));
  const kinds = [...new Set(result.stretches.flatMap(({ latencies }) => [...latencies.keys()]))].sort();
  return kinds.map((kind) => {
    const at = (part: number) =>
      [first, last].map((stretches) => shown(everything(stretches, kind).percentile(part))).join(' → ');
    return [engine, kind, String(everything(result.stretches, kind).count), at(0.5), at(0.99)];
  });
}

function surprises(reports: EngineReport[]): string[] {
  const rows = reports.flatMap(({ engine, result }) =>
    [...result.unexpected].map(([what, count]) => [engine, what, String(count)]),
  );
  if (rows.length === 0) return [];
  return [...table(['Engine', 'Unexpected', 'Times'], ['---', '---', '---:'], rows), ''];
}

/** Excludes the warm-up: the first fifth of a run, at most two minutes. */
function afterWarmUp({ stretches, seconds }: SoakResult): Stretch[] {
  const warm = Math.min(seconds / 5, 120);
  return stretches.filter((stretch) => stretch.at > warm);
}

/** Returns a dash for less than a minute of data, which is too little to extrapolate. */
function megabytesAnHour(stretches: Stretch[], of: (stretch: Stretch) => number): string {
  const span = (stretches.at(-1)?.at ?? 0) - (stretches[0]?.at ?? 0);
  const growth = slope(stretches.map((stretch) => ({ x: stretch.at / 3600, y: of(stretch) })));
  return span < 60 ? '–' : `${growth < 0 ? '' : '+'}${growth.toFixed(1)}`;
}

function quarters(stretches: Stretch[]): [Stretch[], Stretch[]] {
  const size = Math.max(Math.floor(stretches.length / 4), 1);
  return [stretches.slice(0, size), stretches.slice(-size)];
}

/** Merges the latencies of one kind of request, or of all. */
export function everything(stretches: Stretch[], kind?: string): Latencies {
  const all = new Latencies();
  for (const { latencies } of stretches) {
    for (const [name, times] of latencies) if (kind === undefined || name === kind) all.merge(times);
  }
  return all;
}

function table(head: string[], rule: string[], rows: string[][]): string[] {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const shown = (value: number, digits = 1) => (Number.isFinite(value) ? value.toFixed(digits) : '–');
