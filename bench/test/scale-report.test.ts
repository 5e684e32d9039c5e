import { describe, expect, it } from 'vitest';
import type { Measured } from '../load.ts';
import { monthsOf } from '../scale/fill.ts';
import type { ScaleReport } from '../scale/measure.ts';
import { scaleMarkdown, scaleTargets } from '../scale/report.ts';
import { scaleFigures } from './scale-figures.ts';

const measured = (p99: number): Measured => ({ perSecond: 500, p50: 2, p99, statuses: {}, errors: 0 });

function report({ ratios = [1.1, 1.2, 1.3], sizes = [100, 104, 105, 105] } = {}): ScaleReport {
  const beside = {
    rate: 500,
    ratios,
    without: ratios.map(() => measured(10)),
    beside: ratios.map((one) => measured(10 * one)),
  };
  return {
    sessions: 40_000,
    pace: { rounds: 3, seconds: 5, connections: 64 },
    figures: scaleFigures,
    fillSeconds: { plain: 3, partitioned: 4 },
    deletion: { ...beside, perSecond: 1_500 },
    whole: {
      sessions: 9_000,
      seconds: 5,
      without: beside.without,
      beside: beside.beside,
      besideVacuum: [measured(12)],
      vacuumMs: 4_000,
    },
    drops: { ...beside, dropMs: [50, 60, 70] },
    tables: { perSecond: [0.98], cpu: [1.02] },
    sizes,
  };
}

describe('the report of the scale measurement', () => {
  it('reaches its targets with a p99 of at most 1.25 × and a table that stops growing', () => {
    expect(scaleTargets(report()).map(({ reached }) => reached)).toEqual([true, true, true]);
    const slow = report({ ratios: [1.2, 1.26, 1.3], sizes: [100, 104, 108, 120] });
    expect(scaleTargets(slow).map(({ reached }) => reached)).toEqual([false, false, false]);
  });

  it('shows the mints beside deletion, the drops of partitions and the size after each cycle', () => {
    const text = scaleMarkdown(report());
    expect(text).toContain(
      '| retention of the service | 500 | 2.0 | 2.0 | 10.0 | 12.0 | 1.20 × (1.10 to 1.30) |',
    );
    expect(text).toContain('The drops took 50 ms, 60 ms, 70 ms, each a month of 10,000 sessions.');
    expect(text).toContain('one process deleted the remaining 9,000 old sessions in 5 s, 1800 a second.');
    expect(text).toContain(
      'the p99 of mints was 12.0 ms; in 3 measurements during pauses of the deletion, 10.0 ms: 1.20 ×',
    );
    expect(text).toContain('While it ran, the p99 of mints was 12.0 ms, 1.20 × (1.20 to 1.20) of without.');
    expect(text).toContain('| 3 | 0.0 | 1.05 × |');
  });

  it('says so if too few sessions were deleted for autovacuum', () => {
    const all = report();
    const few = { ...all, whole: { ...all.whole, vacuumMs: Number.NaN, besideVacuum: [] } };
    expect(scaleMarkdown(few)).toContain('Too few sessions were deleted for autovacuum to start.');
  });
});

describe('stored sessions', () => {
  it('are spread evenly over four months that end now', () => {
    const day = 86_400_000;
    const months = monthsOf(400, 1_000 * day);
    expect(months.map(({ first, count }) => [first, count])).toEqual([
      [0, 100],
      [100, 100],
      [200, 100],
      [300, 100],
    ]);
    expect(months[0]).toMatchObject({ from: 880 * day, to: 910 * day });
    expect(months[3]!.to).toBe(1_000 * day);
  });
});
