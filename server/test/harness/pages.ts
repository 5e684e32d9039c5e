import { readFileSync } from 'node:fs';

/** Reads a documentation page by its path from the root of the repository. */
export function readPage(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** The rows of all tables of a page, without the header rows. */
export function tableRows(page: string): string[] {
  const lines = page.split('\n');
  const isRule = (line: string | undefined) => line !== undefined && /^\|\s*:?-/.test(line);
  return lines.filter((line, i) => line.startsWith('|') && !isRule(line) && !isRule(lines[i + 1]));
}
