import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPage, tableRows } from '../harness/pages.ts';

const folder = 'docs/decisions';
const files = readdirSync(new URL(`../../../${folder}`, import.meta.url))
  .filter((name) => name !== 'README.md')
  .sort();
const listed = tableRows(readPage(`${folder}/README.md`)).map((row) =>
  row.split('|').map((cell) => cell.trim()),
);

test('pages are numbered from 0001 without a gap, and each is listed once in the index', () => {
  expect(files.map((name) => Number(name.slice(0, 4)))).toEqual(files.map((_, i) => i + 1));
  expect(listed.map(([, link]) => link)).toEqual(files.map((name) => `[${name.slice(0, 4)}](${name})`));
});

test.each(files.map((name, i) => [name, i] as const))(
  '%s has a date, a status, a rejected alternative and the title of the index',
  (name, i) => {
    const page = readPage(`${folder}/${name}`);
    const [, title, date, status] =
      /^# \d{4}\. (.+)\n\nDate: (\d{4}-\d\d-\d\d) · Status: (accepted|superseded)/.exec(page) ?? [];
    expect(listed[i]?.slice(2, 5)).toEqual([title, date, status]);
    const headings = page.match(/^## .+$/gm)?.map((heading) => heading.slice(3));
    expect(headings).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences']);
    expect(page).toMatch(/^## Alternatives\n\n- \*\*/m);
    if (status === 'superseded') expect(page).toMatch(/superseded by \[\d{4}\]/);
  },
);
