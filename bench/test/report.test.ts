import { describe, expect, it } from 'vitest';
import { type Pair, sideBySideMarkdown, verdictOf } from '../against.ts';
import { plot } from '../plot.ts';
import { markdown, type Report } from '../report.ts';
import type { Sample, ScenarioResult } from '../rounds.ts';
import { cpuTargets, type Find, latencyTarget, memoryTargets, throughputTargets } from '../targets.ts';

const sample = (perSecond: number, cpu: number, p99 = 10): Sample => ({ perSecond, cpu, p50: 1, p99 });
const result = (contestant: string, scenario: string, ...rounds: Sample[]): ScenarioResult => {
  return { contestant, scenario, rounds };
};

// In the second round the machine is half as fast; ratios within a round do not change.
const floor = result('floor', 'floor', sample(10_000, 100), sample(5_000, 200), sample(10_000, 100));
const mint = result(
  'ours, PostgreSQL',
  'server mint',
  sample(3_000, 310),
  sample(1_500, 560),
  sample(3_300, 290),
);

const others: Record<string, [number, number]> = {
  limit: [4_000, 200],
  'by hand': [600, 1_500],
  'server mint, fresh key': [2_500, 401],
  'server mint, replay': [6_000, 180],
  'catalog, not modified': [5_900, 60],
};
const all = (cpu = 1): Find => {
  return (contestant, scenario) => {
    if (contestant === 'floor') return floor;
    if (scenario === 'server mint') return contestant === mint.contestant ? mint : embedded;
    const [perSecond, micros] = others[scenario]!;
    const [fast, slow] = [sample(perSecond, micros * cpu), sample(perSecond / 2, micros * 2 * cpu)];
    return result(contestant, scenario, fast, slow, fast);
  };
};
const embedded = result('ours, embedded', 'server mint', sample(1, 381), sample(1, 761), sample(1, 379));

describe('targets', () => {
  const shown = (targets: ReturnType<typeof cpuTargets>) =>
    targets.map(({ name, measured, reached }) => [name, measured, reached]);

  it('compare CPU time with the baseline of the same round', () => {
    expect(shown(cpuTargets(all()))).toEqual([
      ['ours, PostgreSQL: server mint, CPU time', '2.90 ×', true],
      ['ours, PostgreSQL: server mint, fresh key, CPU time', '4.01 ×', false],
      ['ours, PostgreSQL: server mint, replay, CPU time', '1.80 ×', true],
      ['ours, embedded: server mint, CPU time', '3.81 ×', false],
      ['ours, PostgreSQL: server mint, CPU time', '1.45 ×', true],
    ]);
  });

  it('give no verdict on a figure that was not measured', () => {
    const replay = cpuTargets(all(Number.NaN)).find(({ name }) => name.includes('replay'));
    expect(replay).toMatchObject({ measured: 'not measured here', reached: undefined });
  });

  it('compare throughput with the handwritten implementation, and the catalog with the baseline', () => {
    expect(shown(throughputTargets(all()))).toEqual([
      ['ours, PostgreSQL: server mint, throughput', '5.00 ×', true],
      ['ours, PostgreSQL: catalog, not modified, throughput', '0.59 ×', false],
    ]);
  });

  it('compare the p99 with that of the baseline in the same round', () => {
    const steady = (...p99: number[]) => result('x', 'y', ...p99.map((ms) => sample(1, 1, ms)));
    const target = (ours: number[], beside: number[]) =>
      latencyTarget({ contestant: 'ours', rate: 1, ours: steady(...ours), floor: steady(...beside) });
    expect(target([8, 40, 30], [2, 10, 10])).toMatchObject({ measured: '4.00 ×', reached: true });
    expect(target([9, 41, 30], [2, 10, 10])).toMatchObject({ measured: '4.10 ×', reached: false });
  });

  it('limit memory and its growth', () => {
    const points = (...megabytes: number[]) =>
      megabytes.map((size, i) => ({ minted: i + 1, residentBytes: size * 2 ** 20 }));
    const verdicts = (...megabytes: number[]) =>
      memoryTargets('PostgreSQL', points(...megabytes), 200).map(({ reached }) => reached);
    expect(verdicts(100, 150, 160, 165)).toEqual([true, true]);
    expect(verdicts(100, 150, 201, 165)).toEqual([false, true]);
    expect(verdicts(100, 150, 160, 166)).toEqual([true, false]);
    expect(verdicts(Number.NaN, Number.NaN)).toEqual([undefined, undefined]);
  });
});

describe('results', () => {
  const report: Report = {
    date: '2026-01-02',
    versions: { 'Node.js': 'v20.19.0' },
    rounds: 3,
    seconds: 5,
    connections: 64,
    results: [floor, mint],
    steady: [{ contestant: mint.contestant, rate: 1_500, ours: mint, floor }],
    targets: [
      { name: 'one', wanted: '≤ 1', measured: '2', reached: false },
      { name: 'two', wanted: '≤ 1', measured: 'not measured here', reached: undefined },
    ],
    facts: [['First start', '2.0 s']],
  };

  it('are listed in a table with CPU time and throughput, each with its ratio and spread', () => {
    const text = markdown(report);
    expect(text).toContain('| floor | floor | 100 | 1.00 | 0 % | 10000 | 1.00 | 0 % | 1 | 10 |\n');
    expect(text).toContain(
      '| ours, PostgreSQL | server mint | 310 | 2.90 | 5 % | 3000 | 0.30 | 5 % | 1 | 10 |\n',
    );
    expect(text).toContain('| ours, PostgreSQL | 1500 | 1.0 | 1.0 | 10.0 | 10.0 | 1.00 | 0 % |\n');
    expect(text).toContain('| one | ≤ 1 | 2 | **no** |\n| two | ≤ 1 | not measured here |  |\n');
  });

  it('are shown as dashes where CPU time cannot be measured', () => {
    const blind = result('floor', 'floor', sample(10, Number.NaN));
    expect(markdown({ ...report, results: [blind], steady: [] })).toContain(
      '| floor | floor | – | – | – | 10 | 1.00 | 0 % | 1 | 10 |',
    );
    expect(plot([blind])).toContain('not measured');
    expect(plot([blind])).not.toContain('NaN');
  });

  it('are drawn as two bars for each scenario', () => {
    const picture = plot(report.results);
    expect(picture.match(/<rect x=/g)).toHaveLength(4);
    expect(picture).toContain('>ours, PostgreSQL: server mint<');
    expect(picture).toContain('>2.90<');
    expect(picture).toContain('>0.30<');
  });
});

describe('a comparison of two builds', () => {
  const pair = (...throughput: number[]): Pair => ({
    engine: 'PostgreSQL',
    scenario: 'server mint',
    ours: result('this', 'server mint', ...throughput.map((ratio) => sample(1_000 * ratio, 90))),
    other: result('other', 'server mint', ...throughput.map(() => sample(1_000, 100))),
  });

  it('passes at a median of 0.99, even if single rounds are slower', () => {
    expect(verdictOf(pair(0.99, 0.5, 1.2))).toBe('yes');
    expect(verdictOf(pair(0.989, 0.5, 0.98))).toBe('no');
  });

  it('passes only if the median of the CPU time is at most 1.01', () => {
    const using = (...cpu: number[]): Pair => ({
      ...pair(1, 1, 1),
      ours: result('this', 'server mint', ...cpu.map((ratio) => sample(1_000, 100 * ratio))),
    });
    expect(verdictOf(using(1.01, 0.9, 1.5))).toBe('yes');
    expect(verdictOf(using(1.02, 0.9, 1.5))).toBe('unclear');
    expect(verdictOf(using(1.02, 1.03, 1.5))).toBe('no');
    expect(verdictOf(using(Number.NaN, Number.NaN, Number.NaN))).toBe('yes');
  });

  it('is inconclusive while more rounds might still raise the median', () => {
    expect(verdictOf(pair(0.96, 0.5, 1.2))).toBe('unclear');
    const many = (above: number) => pair(...Array(20 - above).fill(0.9), ...Array(above).fill(1.1));
    expect(verdictOf(many(6))).toBe('unclear');
    expect(verdictOf(many(5))).toBe('no');
  });

  it('is shown as a table', () => {
    const builds = [
      { program: 'a.js', name: 'v2' },
      { program: 'b.js', name: 'v1' },
    ] as const;
    const text = sideBySideMarkdown(...builds, { rounds: 3, seconds: 2, connections: 64 }, [
      pair(0.9, 1.1, 1),
      pair(0.9, 0.9, 0.9),
    ]);
    expect(text).toContain('This: v2. Other: v1.');
    expect(text).toContain(
      '| PostgreSQL | server mint | 1000 | 1000 | 1.00 | 10 % | 0.90 to 1.10 | yes | 90 | 100 | 0.90 | 0 % | 0.90 to 0.90 |\n',
    );
    expect(text).toContain('| 0.90 | 0 % | 0.90 to 0.90 | **no** |');
  });
});
