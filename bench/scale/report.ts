import type { Measured } from '../load.ts';
import { number, type Target, table } from '../report.ts';
import { median, medianInterval } from '../statistics.ts';
import type { Beside } from '../steady-half.ts';
import type { WholeDeletion } from './deletion.ts';
import type { Cost, ScaleFigures } from './figures.ts';
import type { ScaleReport } from './measure.ts';
import { modelTable } from './model.ts';

const limit = 1.25;
/** Growth of the table from the middle to the last cycle. */
const growthLimit = 1.1;

export function scaleTargets({ deletion, whole, sizes }: ScaleReport): Target[] {
  const ratio = median(deletion.ratios);
  const wholeRatios = relative(whole.beside, whole);
  const growth = sizes.at(-1)! / sizes[Math.floor(sizes.length / 2)]!;
  return [
    {
      name: `p99 of ${deletion.rate} mints a second beside deletion`,
      wanted: `≤ ${limit} ×`,
      measured: interval(deletion.ratios),
      reached: ratio <= limit,
    },
    {
      name: `the same while all ${thousands(whole.sessions)} old sessions are deleted`,
      wanted: `≤ ${limit} ×`,
      measured: interval(wholeRatios),
      reached: median(wholeRatios) <= limit,
    },
    {
      name: 'size of the table, from the middle to the last cycle',
      wanted: `≤ ${growthLimit} ×`,
      measured: `${growth.toFixed(2)} ×`,
      reached: growth <= growthLimit,
    },
  ];
}

export function scaleMarkdown(report: ScaleReport): string {
  const { figures, pace, deletion, drops, whole, tables, sizes } = report;
  const { rounds, seconds, connections } = pace;
  return [
    '# Scale',
    '',
    `Measured ${figures.date} with ${thousands(figures.sessions)} stored sessions, a quarter of them past the retention`,
    `period: ${rounds} rounds of ${seconds} s, ${connections} connections. Machine: ${figures.machine}. Node.js ${process.version}.`,
    'Medians; in brackets the 95 % confidence interval of the median. See [README.md](README.md#scale).',
    '',
    ...table(
      '| Target | Wanted | Measured | Reached |',
      '|---|---|---|---|',
      scaleTargets(report).map(({ name, wanted, measured, reached }) => [
        name,
        wanted,
        measured,
        reached ? 'yes' : '**no**',
      ]),
    ),
    '## Costs',
    '',
    figuresTables(figures),
    '',
    '## Deletion beside mints',
    '',
    ...table(
      '| | Mints/s | p50 ms without | with | p99 ms without | with | p99 with/without |',
      '|---|---:|---:|---:|---:|---:|---:|',
      [besideRow('retention of the service', deletion), besideRow('drop of a partition', drops)],
    ),
    `- Retention deleted ${number(deletion.perSecond, 0)} sessions a second, at the pace of one process.`,
    `- The drops took ${drops.dropMs.map((ms) => `${number(ms, 0)} ms`).join(', ')}, each a month of ${thousands(Math.floor(report.sessions / 4))} sessions.`,
    `- ${wholeText(whole)}`,
    `- ${vacuumText(whole)}`,
    `- Mints into the partitioned table, at their maximum, relative to the plain one: throughput ${interval(tables.perSecond)}, CPU time ${interval(tables.cpu)}.`,
    `- Filling took ${number(report.fillSeconds.plain, 0)} s for the plain table and ${number(report.fillSeconds.partitioned, 0)} s for the partitioned one.`,
    '',
    '## Size of the table',
    '',
    'Each cycle deletes a quarter of the sessions, waits while autovacuum is due or running, and stores as many new ones.',
    '',
    ...table(
      '| Cycle | MB | |',
      '|---:|---:|---:|',
      sizes.map((bytes, cycle) => [
        String(cycle),
        number(bytes / 1e6, 1),
        `${(bytes / sizes[0]!).toFixed(2)} ×`,
      ]),
    ),
    '## Model',
    '',
    'See [docs/scale.md](../docs/scale.md) for its assumptions.',
    '',
    modelTable(figures),
    '',
  ].join('\n');
}

/** The figures that the model is based on, as Markdown. */
export function figuresTables(figures: ScaleFigures): string {
  return [
    ...table('| | Service, CPU µs | Database, CPU µs | Write-ahead log, bytes |', '|---|---:|---:|---:|', [
      costRow('mint', figures.mint),
      costRow('mint with an idempotency key', figures.keyedMint),
      costRow('connect and end of a session', figures.connectAndEnd),
      costRow('one session in a report', figures.report),
    ]),
    ...table('| | |', '|---|---:|', [
      ['stored session: table', `${number(figures.tableBytesPerSession, 0)} bytes`],
      ['stored session: indexes', `${number(figures.indexBytesPerSession, 0)} bytes`],
      ['idempotency record with indexes', `${number(figures.bytesPerClaim, 0)} bytes`],
      ['usage of a day and experience', `${number(figures.bytesPerUsageRow, 0)} bytes`],
      ['database connections of a process', String(figures.connections)],
      ['memory of a process', `${number(figures.serviceBytes / 2 ** 20, 0)} MB`],
      [
        'CPU of a conversation with constant speech',
        `${number(figures.coresPerConversation * 100, 3)} % of a core`,
      ],
      ['memory of a conversation', `${number(figures.bytesPerConversation / 1024, 0)} kB`],
    ]),
  ]
    .join('\n')
    .trimEnd();
}

function costRow(name: string, { serviceCpu, databaseCpu, walBytes }: Cost): string[] {
  return [name, number(serviceCpu, 0), number(databaseCpu, 0), number(walBytes, 0)];
}

function besideRow(name: string, { rate, without, beside, ratios }: Beside): string[] {
  const ms = (of: readonly Measured[], figure: 'p50' | 'p99') =>
    number(median(of.map((one) => one[figure])), 1);
  return [
    name,
    String(rate),
    ms(without, 'p50'),
    ms(beside, 'p50'),
    ms(without, 'p99'),
    ms(beside, 'p99'),
    interval(ratios),
  ];
}

function wholeText(whole: WholeDeletion): string {
  const { sessions, seconds, without, beside } = whole;
  const p99 = (of: readonly Measured[]) => number(median(of.map((one) => one.p99)), 1);
  const done = `Then one process deleted the remaining ${thousands(sessions)} old sessions in ${number(seconds, 0)} s, ${number(sessions / seconds, 0)} a second.`;
  return `${done} In ${beside.length} measurements beside it, the p99 of mints was ${p99(beside)} ms; in ${without.length} measurements during pauses of the deletion, ${p99(without)} ms: ${interval(relative(beside, whole))}.`;
}

function vacuumText(whole: WholeDeletion): string {
  const { vacuumMs, besideVacuum } = whole;
  if (Number.isNaN(vacuumMs)) return 'Too few sessions were deleted for autovacuum to start.';
  const done = `Autovacuum was done ${number(vacuumMs / 1000, 0)} s after the last deletion.`;
  if (besideVacuum.length === 0) return done;
  const p99 = median(besideVacuum.map((one) => one.p99));
  return `${done} While it ran, the p99 of mints was ${number(p99, 1)} ms, ${interval(relative(besideVacuum, whole))} of without.`;
}

/** Each p99, divided by the median p99 of mints without another load. */
function relative(mints: readonly Measured[], { without }: WholeDeletion): number[] {
  const usual = median(without.map((one) => one.p99));
  return mints.map(({ p99 }) => p99 / usual);
}

function thousands(count: number): string {
  return count.toLocaleString('en-US');
}

function interval(ratios: readonly number[]): string {
  const [low, high] = medianInterval(ratios);
  return `${median(ratios).toFixed(2)} × (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
