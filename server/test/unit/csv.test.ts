import { expect, test } from 'vitest';
import { csv } from '../../src/statistics/csv.ts';

test('cells with commas, quotes and line breaks are quoted, and formulas are disarmed', () => {
  const rows = ['plain', 'a,b', 'say "hi"', 'two\nlines', '=SUM(A1)', '-1', '@x'].map((name, n) => ({
    name,
    n: -n,
  }));
  expect(csv(['name', 'n'], rows)).toBe(
    [
      'name,n',
      'plain,0',
      '"a,b",-1',
      '"say ""hi""",-2',
      '"two\nlines",-3',
      "'=SUM(A1),-4",
      "'-1,-5",
      "'@x,-6",
      '',
    ].join('\r\n'),
  );
});
