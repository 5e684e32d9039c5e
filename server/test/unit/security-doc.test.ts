import { expect, test } from 'vitest';
import { readPage, tableRows } from '../harness/pages.ts';

const section = /## OWASP API Security Top 10[\s\S]*?(?=\n## |$)/.exec(readPage('SECURITY.md'))?.[0] ?? '';
const rows = tableRows(section).map((row) => row.split('|').map((cell) => cell.trim()));

test('all ten OWASP risks of 2023 have a row', () => {
  const named = rows.map((row) => /^(API\d+):2023 /.exec(row[1] ?? '')?.[1]);
  expect(named).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`));
});

test.each(rows.map((row) => [row[1], row] as const))('has an explanation: %s', (_risk, row) => {
  const [, , argument = '', ...rest] = row;
  expect(argument.split(' ').length).toBeGreaterThan(8);
  expect(rest).toEqual(['']);
});
