import { expect, test } from 'vitest';
import { readPage, tableRows } from '../harness/pages.ts';

const [promises = ''] = readPage('docs/reliability.md').split(/^## Soak$/m);
const cells = (row: string) => row.split('|').map((cell) => cell.trim());
const rows = tableRows(promises).map(cells);

test('the page lists promises', () => {
  expect(rows.length).toBeGreaterThan(20);
});

test.each(rows.map((row) => [row[1], row] as const))(
  'states the guarantee and the measurement: %s',
  (_promise, row) => {
    const [, promise = '', heldTo = '', measured = '', ...rest] = row;
    expect(promise).toMatch(/\.$/);
    expect(heldTo).toMatch(/\w/);
    expect(measured).not.toBe('');
    expect(rest).toEqual(['']);
  },
);
