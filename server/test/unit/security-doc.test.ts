import { expect, test } from 'vitest';
import { checkNamedTests, namedTests, readPage, tableRows } from '../harness/named-tests.ts';

const path = 'SECURITY.md';
const section = /## OWASP API Security Top 10[\s\S]*?(?=\n## |$)/.exec(readPage(path))?.[0] ?? '';
const rows = tableRows(section);

test('all ten risks of 2023 have a row', () => {
  const named = rows.map((row) => /^\| *(API\d+):2023 /.exec(row)?.[1]);
  expect(named).toEqual(Array.from({ length: 10 }, (_, i) => `API${i + 1}`));
});

test.each(rows.map((row) => [row.split('|')[1]?.trim(), row]))(
  'has an argument and a test: %s',
  (_risk, row) => {
    const [, , argument = ''] = (row as string).split('|');
    expect(argument.trim().split(' ').length).toBeGreaterThan(8);
    expect(namedTests(row as string).length).toBeGreaterThan(0);
  },
);

checkNamedTests(path);
