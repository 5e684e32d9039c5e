import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** A test, or a group of tests, that a page names: its file, below `server/`, and its title. */
export interface NamedTest {
  file: string;
  title: string;
}

/** What a page of this project says, by its path from the root of the repository. */
export function readPage(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** The entries in a piece of a page, each written as `test/… › title`. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`(test\/[^`›]+?) › ([^`]+)`/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  }));
}

/** The rows of all tables of a page, without their heads. */
export function tableRows(page: string): string[] {
  const lines = page.split('\n');
  const isRule = (line: string | undefined) => line !== undefined && /^\|\s*:?-/.test(line);
  return lines.filter((line, i) => line.startsWith('|') && !isRule(line) && !isRule(lines[i + 1]));
}

/** One test for each entry of the page at `path`: its file exists and has a test or a group of tests of that title. */
export function checkNamedTests(path: string): void {
  const page = readPage(path);
  const entries = namedTests(page);
  const address = (file: string) => new URL(`../../${file}`, import.meta.url);

  test('whatever looks like a test is one of the entries', () => {
    expect(entries.length).toBeGreaterThan(0);
    expect(page.match(/`test\/[^`]* › /g)).toHaveLength(entries.length);
  });

  describe.each([...new Set(entries.map(({ file }) => file))])('%s', (file) => {
    test('exists', () => {
      expect(existsSync(address(file))).toBe(true);
    });

    const titles = entries.filter((entry) => entry.file === file).map(({ title }) => title);
    test.each([...new Set(titles)])('has a test or a group of tests named: %s', (title) => {
      const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      // As the title of test, it or describe, or as the name of a case in a table of cases.
      expect(readFileSync(address(file), 'utf8')).toMatch(new RegExp(`[([]\\s*(['"\`])${quoted}\\1\\s*,`));
    });
  });
}
