import { errorTable } from '@session-launch/contract/errors';
import { expect, test } from 'vitest';
import { checkNamedTests, namedTests, readPage, tableRows } from '../harness/named-tests.ts';

const path = 'docs/coverage.md';
const rows = tableRows(readPage(path));

test('the page has rows', () => {
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows.map((row) => [row.split('|')[1]?.trim(), row]))('has a test: %s', (_rule, row) => {
  expect(namedTests(row as string).length).toBeGreaterThan(0);
  // Whatever looks like a test is one of the entries.
  expect((row as string).match(/`test\//g)).toHaveLength(namedTests(row as string).length);
});

checkNamedTests(path);

test('every code that a caller of the public interface can meet is in a row', () => {
  const ofOperators = /^(ADMIN_|PROJECT_FILE_|PROJECT_NOT_|KEY_)/;
  const codes = Object.entries(errorTable).filter(
    ([code, { status }]) => status < 500 && !ofOperators.test(code),
  );
  for (const [code] of codes) expect(rows.join('\n'), code).toMatch(new RegExp(`\\b${code}\\b`));
});
