import type { Target } from '../report.ts';
import type { Pace } from '../rounds.ts';
import { median, medianInterval } from '../statistics.ts';
import type { EngineFigures } from './measure.ts';

/** Maximum p95 of each read, in milliseconds. */
export const readLimitMs = 300;
/** Maximum p99 of mints beside ten operators, as a multiple of the p99 without them. */
const mintLimits: Record<EngineFigures['engine'], number> = { PostgreSQL: 1.25, embedded: 2 };

export function adminTargets(figures: readonly EngineFigures[]): Target[] {
  return figures.flatMap(({ engine, reads, mints }) => [
    ...reads.map(({ path, p95 }) => ({
      name: `${engine}: ${path}`,
      wanted: `≤ ${readLimitMs} ms`,
      measured: `${p95.toFixed(1)} ms`,
      reached: p95 <= readLimitMs,
    })),
    {
      name: `${engine}: p99 of ${mints.rate} mints a second beside ten operators`,
      wanted: `≤ ${mintLimits[engine]} ×`,
      measured: `${median(mints.ratios).toFixed(2)} ×`,
      reached: median(mints.ratios) <= mintLimits[engine],
    },
  ]);
}

export function adminMarkdown(figures: readonly EngineFigures[], { rounds, seconds }: Pace): string {
  return figures.map((engine) => engineMarkdown(engine, rounds, seconds)).join('\n');
}

function engineMarkdown(figures: EngineFigures, rounds: number, seconds: number): string {
  const { engine, sessions, reads, mints } = figures;
  const slowest = [...reads].sort((a, b) => b.p95 - a.p95);
  const [low, high] = medianInterval(mints.ratios);
  const mintTarget = adminTargets([figures]).at(-1)!;
  return [
    `## ${engine}, ${sessions.toLocaleString('en')} sessions stored`,
    '',
    `| Read | p50 ms | p95 ms | ≤ ${readLimitMs} ms |`,
    '|---|---:|---:|---|',
    ...slowest.map(
      ({ path, p50, p95 }) =>
        `| \`${path}\` | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${p95 <= readLimitMs ? 'yes' : 'no'} |`,
    ),
    '',
    `${mints.rate} mints a second, ${rounds} rounds of ${seconds} s, with and without ten operators who read all of these in turn. p99 with them,`,
    `as a multiple of the p99 without them: ${mintTarget.measured} (${low.toFixed(2)} to ${high.toFixed(2)}; wanted ${mintTarget.wanted}): ${
      mintTarget.reached ? 'yes' : 'no'
    }.`,
    '',
  ].join('\n');
}
