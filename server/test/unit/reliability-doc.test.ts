import { expect, test } from 'vitest';
import { Ledger } from '../../../bench/soak-ledger.ts';
import { markdown } from '../../../bench/soak-report.ts';
import { checkNamedTests, namedTests, readPage, tableRows } from '../harness/named-tests.ts';

const path = 'docs/reliability.md';
const [promises = '', figures = ''] = readPage(path).split(/^## Soak$/m);
const cells = (row: string) => row.split('|').map((cell) => cell.trim());
const rows = tableRows(promises);

checkNamedTests(path);

test('the page has rows', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows.map((row) => [cells(row)[1], row] as const))(
  'is held to something by a test: %s',
  (_promise, row) => {
    const [, promise = '', heldTo = '', tests = '', measured = '', ...rest] = cells(row);
    expect(promise).toMatch(/\.$/);
    expect(heldTo).toMatch(/\w/);
    expect(namedTests(tests).length).toBeGreaterThan(0);
    expect(tests.split('<br>')).toHaveLength(namedTests(tests).length);
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
