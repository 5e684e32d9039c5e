import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Latencies } from '../soak-latencies.ts';
import { Ledger } from '../soak-ledger.ts';
import { readOptions, type SoakOptions } from '../soak-options.ts';
import { type EngineReport, isClean, markdown } from '../soak-report.ts';
import { slope } from '../statistics.ts';

describe('options', () => {
  test('have defaults', () => {
    expect(readOptions(['--minutes', '15'])).toEqual({ minutes: 15, engines: ['postgres'], connections: 8 });
  });

  test('can all be set', () => {
    const args = [
      '--minutes',
      '0.5',
      '--engine',
      'both',
      '--connections',
      '3',
      '--rate',
      '50',
      '--out',
      'x.md',
    ];
    expect(readOptions(args)).toEqual({
      minutes: 0.5,
      engines: ['postgres', 'embedded'],
      connections: 3,
      rate: 50,
      out: 'x.md',
    });
    expect(readOptions(['--help'])).toBe('help');
  });

  const refused: [string, string[]][] = [
    ['--minutes is missing', []],
    ['--minutes is a number above 0 and at most 10080, not many', ['--minutes', 'many']],
    ['--minutes is a number above 0 and at most 10080, not 0', ['--minutes', '0']],
    ['--minutes is a number above 0 and at most 10080, not ', ['--minutes', '']],
    ['--minutes is a number above 0 and at most 10080, not Infinity', ['--minutes', 'Infinity']],
    ['--engine is postgres, embedded or both, not steam', ['--minutes', '1', '--engine', 'steam']],
    ['--connections is a whole number', ['--minutes', '1', '--connections', '1.5']],
    ['--rate is a number above 0 and at most 100000, not -1', ['--minutes', '1', '--rate=-1']],
    ["Unknown option '--loud'", ['--minutes', '1', '--loud']],
    ['more', ['--minutes', '1', 'more']],
  ];
  test.each(refused)('that are invalid are rejected: %s', (message, args) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});

test('the slope is the least-squares slope of the points, with and without noise', () => {
  const line = Array.from({ length: 50 }, (_, x) => ({ x, y: 7 + 3 * x + (x % 2 === 0 ? 1 : -1) }));
  expect(slope(line)).toBeCloseTo(3, 1);
  expect(slope(line.map(({ x, y }) => ({ x, y: -y })))).toBeCloseTo(-3, 1);
});

test('percentiles are accurate to 4 %, and histograms can be merged', () => {
  const [odd, even] = [new Latencies(), new Latencies()];
  for (let ms = 1; ms <= 1_000; ms++) (ms % 2 === 0 ? even : odd).add(ms);
  const all = new Latencies().merge(odd).merge(even);
  expect(all.count).toBe(1_000);
  for (const [part, ms] of [
    [0.5, 500],
    [0.99, 990],
    [1, 1_000],
  ] as const) {
    expect(all.percentile(part)).toBeGreaterThanOrEqual(ms);
    expect(all.percentile(part)).toBeLessThan(ms * 1.05);
  }
  expect(new Latencies().percentile(0.5)).toBeNaN();
});

const ledger = (...ids: string[]) => {
  const made = new Ledger();
  for (const id of ids) made.add(id);
  return made;
};

describe('acknowledged and stored sessions', () => {
  test('are compared in any order', () => {
    expect(ledger('ses_a', 'ses_b').equals(ledger('ses_b', 'ses_a'))).toBe(true);
  });

  const times = new Latencies();
  times.add(1);
  const report = (acknowledged: Ledger, stored: Ledger, more: Partial<EngineReport['result']> = {}) => {
    const latencies = new Map([['server mint', times]]);
    const figures = { residentMegabytes: 100, heapMegabytes: 50, loopP99: 1, loopMax: 2 };
    const stretches = Array.from({ length: 40 }, (_, i) => ({
      at: 10 * (i + 1),
      seconds: 10,
      ...figures,
      // One megabyte more every ten seconds.
      residentMegabytes: 100 + i,
      latencies,
    }));
    const result = { stretches, seconds: 400, acknowledged, inDoubt: 0, unexpected: new Map(), ...more };
    return { engine: 'postgres', result, stored } satisfies EngineReport;
  };
  const options: SoakOptions = { minutes: 7, engines: ['postgres'], connections: 8 };

  test('pass the check when they are equal', () => {
    const same = report(ledger('ses_a', 'ses_b'), ledger('ses_b', 'ses_a'));
    expect(isClean(same)).toBe(true);
    // The first 80 seconds are the warm-up; the table shows the start and the end of the remaining quarters.
    expect(markdown([same], options)).toMatch(
      /^\| postgres \| 6\.7 \| 40 \| 0 \| 2 \| 2 \| 0 \| 112 → 136 \| \+360\.0 \| /m,
    );
  });

  const broken: [string, EngineReport, string][] = [
    [
      'one is missing',
      report(ledger('ses_a', 'ses_b'), ledger('ses_a')),
      '1 acknowledged launches are missing',
    ],
    ['one has another id', report(ledger('ses_a'), ledger('ses_b')), 'not the acknowledged launches'],
    [
      'one was never requested',
      report(ledger('ses_a'), ledger('ses_a', 'ses_b')),
      '1 launches without a request',
    ],
    [
      'one is missing and another is in doubt',
      report(ledger('ses_a', 'ses_b'), ledger('ses_a'), { inDoubt: 1 }),
      '1 acknowledged launches are missing',
    ],
    [
      'a response was unexpected',
      report(ledger('ses_a'), ledger('ses_a'), { unexpected: new Map([['server mint: 500 INTERNAL', 3]]) }),
      '| postgres | server mint: 500 INTERNAL | 3 |',
    ],
  ];
  test.each(broken)('fail the check when %s', (_what, result, text) => {
    expect(isClean(result)).toBe(false);
    expect(markdown([result], options)).toContain(text);
  });

  test('may differ by mints that got no response, which are reported as unexpected', () => {
    const doubtful = report(ledger('ses_a'), ledger('ses_a', 'ses_b'), {
      inDoubt: 1,
      unexpected: new Map([['server mint: no answer (ECONNRESET)', 1]]),
    });
    expect(isClean(doubtful)).toBe(false);
    expect(markdown([doubtful], options)).not.toContain('**');
  });

  test('fail the check when no request was sent', () => {
    expect(isClean(report(ledger(), ledger(), { stretches: [] }))).toBe(false);
  });
});

test('the figures of the soak in the documentation are those that it prints', () => {
  const page = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
  const [, figures = ''] = page.split(/^## Soak$/m);
  const cells = (row: string) => row.split('|').map((cell) => cell.trim());
  const result = { stretches: [], seconds: 0, acknowledged: new Ledger(), inDoubt: 0, unexpected: new Map() };
  const report = { engine: 'postgres', result, stored: new Ledger() } as const;
  const printed = markdown([report], { minutes: 15, engines: ['postgres'], connections: 8 });
  const heads = printed.split('\n').filter((line) => /^\| Engine \|/.test(line));
  const shown = figures.split('\n').filter((line) => /^\| Engine +\|/.test(line));
  expect(shown.map(cells)).toEqual(heads.map(cells));
});
