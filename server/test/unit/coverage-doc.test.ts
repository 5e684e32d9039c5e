import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/errors.ts';

const text = readFileSync(new URL('../../../docs/coverage.md', import.meta.url), 'utf8');
const rows = text.split('\n').filter((line) => /^\|(?!\s*(Rule\s*\||-))/.test(line));

/** The entries of a row: the file and the title of a test, or of a group of tests, in it. */
function entriesOf(row: string): { file: string; title: string }[] {
  return [...row.matchAll(/`(test\/[^`›]+?) › ([^`]+)`/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }));
}

const entries = rows.flatMap(entriesOf);
const files = [...new Set(entries.map(({ file }) => file))];
const address = (file: string) => new URL(`../../${file}`, import.meta.url);

test('the page has rows', () => {
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows.map((row) => [row.split('|')[1]?.trim(), row]))('has a test: %s', (_rule, row) => {
  expect(entriesOf(row as string).length).toBeGreaterThan(0);
  // Whatever looks like a test is one of the entries.
  expect((row as string).match(/`test\//g)).toHaveLength(entriesOf(row as string).length);
});

describe.each(files)('%s', (file) => {
  test('exists', () => {
    expect(existsSync(address(file))).toBe(true);
  });

  const titles = [...new Set(entries.filter((entry) => entry.file === file).map(({ title }) => title))];
  test.each(titles)('has a test or a group of tests named: %s', (title) => {
    const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    // As the title of test, it or describe, or as the name of a case in a table of cases.
    expect(readFileSync(address(file), 'utf8')).toMatch(new RegExp(`[([]\\s*(['"\`])${quoted}\\1\\s*,`));
  });
});

test('every code that a caller of the public interface can meet is in a row', () => {
  const ofOperators = /^(ADMIN_|PROJECT_FILE_|PROJECT_NOT_|KEY_)/;
  const codes = Object.entries(errorTable).filter(
    ([code, { status }]) => status < 500 && !ofOperators.test(code),
  );
  for (const [code] of codes) expect(rows.join('\n'), code).toMatch(new RegExp(`\\b${code}\\b`));
});
