import { expect, test } from 'vitest';
import { readProgram, statementsOf } from '../../src/store/migrations/migrations.ts';

/** Digests of released migrations, which databases have recorded. Do not change these migrations; add another one. */
const released: Record<string, string> = {
  '0001_schema': '2dd9b06834acf0002f5196b3bf241f0ddeae1c2a53f06897a845083c98a1c71e',
};

const { migrations, functions } = await readProgram();

test('a released migration is never edited', () => {
  const digests = Object.fromEntries(migrations.map(({ name, digest }) => [name, digest]));
  expect(digests).toMatchObject(released);
});

test('migrations are numbered from 1 without a gap', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1));
});

test('a function has one file, under its name', () => {
  expect(functions.length).toBeGreaterThan(10);
  expect(new Set(functions.map(({ name }) => name)).size).toBe(functions.length);
  for (const { statement } of functions) expect(statement).toMatch(/\$\$;$/);
});

test('a statement ends with a semicolon at the end of a line, outside a function body', () => {
  const body = 'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  NULL;\nEND $$;';
  expect(statementsOf(`SELECT 1;\n-- A note;\nSELECT\n  2;\n${body}\n-- The end.\n`)).toEqual([
    'SELECT 1;',
    '-- A note;\nSELECT\n  2;',
    body,
  ]);
  expect(() => statementsOf('SELECT 1')).toThrow('a statement does not end: SELECT 1');
});
