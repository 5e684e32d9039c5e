import { expect, test } from 'vitest';
import { Ledger } from '../../../bench/soak-ledger.ts';
import { markdown } from '../../../bench/soak-report.ts';
import { readPage, tableRows } from '../harness/pages.ts';

const [promises = '', figures = ''] = readPage('docs/reliability.md').split(/^## Soak$/m);
const cells = (row: string) => row.split('|').map((cell) => cell.trim());
const rows = tableRows(promises).map(cells);

test('the page has promises', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows.map((row) => [row[1], row] as const))(
  'says what it is held to and what was measured: %s',
  (_promise, row) => {
    const [, promise = '', heldTo = '', measured = '', ...rest] = row;
    expect(promise).toMatch(/\.$/);
    expect(heldTo).toMatch(/\w/);
    expect(measured).not.toBe('');
    expect(rest).toEqual(['']);
  },
);

test('the figures of the soak are those that it prints', () => {
  const result = { stretches: [], seconds: 0, acknowledged: new Ledger(), inDoubt: 0, unexpected: new Map() };
  const report = { engine: 'postgres', result, stored: new Ledger() } as const;
  const printed = markdown([report], { minutes: 15, engines: ['postgres'], connections: 8 });
  const heads = printed.split('\n').filter((line) => /^\| Engine \|/.test(line));
  const shown = figures.split('\n').filter((line) => /^\| Engine +\|/.test(line));
  expect(shown.map(cells)).toEqual(heads.map(cells));
});
