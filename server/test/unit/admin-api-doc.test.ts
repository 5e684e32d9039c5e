import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { adminTables } from '../harness/admin-tables.ts';
import { readPage, tableRows } from '../harness/pages.ts';

const file = new URL('../../../docs/admin-api.md', import.meta.url);
const tables = adminTables();
/** Documented in docs/runtime-protocol.md. */
tables.delete('Runtimes');

/** The generated text between two comments of the page. */
const region = (name: string) =>
  new RegExp(`(?<=<!-- ${name}: written by npm run docs -->\\n\\n).*?(?=\\n\\n<!-- end of ${name} -->)`, 's');

test.each([...tables])(
  'the table %s of docs/admin-api.md matches the contract (npm run docs rewrites it)',
  (name, table) => {
    if (process.env.UPDATE === '1')
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(region(name), () => table),
      );
    expect(region(name).exec(readFileSync(file, 'utf8'))?.[0]).toBe(table);
  },
);

test('every generated table has a place in docs/admin-api.md, and no other table is there', () => {
  const page = readPage('docs/admin-api.md');
  const names = [...page.matchAll(/^<!-- (.+): written by npm run docs -->$/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual([...tables.keys()].sort());
  const written = [...tables.values()].flatMap(tableRows);
  expect(tableRows(page).filter((row) => !written.includes(row))).toEqual([]);
});

test('no cell of these tables is longer than 200 characters', () => {
  const cells = [...tables.values()].flatMap(tableRows).flatMap((row) => row.split('|'));
  expect(cells.filter((cell) => cell.length > 200)).toEqual([]);
});
