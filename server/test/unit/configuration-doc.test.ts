import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readConfig, variables } from '../../src/config.ts';

const page = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

interface Row {
  name: string;
  default: string;
  meaning: string;
}

const rows: Row[] = [...page.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = '', byDefault = '', meaning = '']) => ({
    name,
    default: byDefault === 'unset' ? '' : byDefault.replaceAll('`', ''),
    meaning,
  }),
);

test('the page has every variable of the program, and no other', () => {
  expect(rows.map((row) => row.name)).toEqual(variables.map((variable) => variable.name));
});

test.each(variables.map((variable) => [variable.name, variable] as const))(
  'the default of %s',
  (name, variable) => {
    expect(rows.find((row) => row.name === name)?.default).toBe(variable.default);
  },
);

test('every row says something', () => {
  for (const row of rows) expect(row.meaning.length).toBeGreaterThan(20);
});

test('every variable that the page mentions exists', () => {
  const names = new Set(variables.map((variable) => variable.name));
  const mentioned = [...page.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name = '']) => name);
  expect(mentioned.filter((name) => !names.has(name))).toEqual([]);
});

test('the production example is a configuration that a start accepts', () => {
  const [, block = ''] = /In production.*?```sh\n(.*?)```/s.exec(page) ?? [];
  const env = Object.fromEntries(
    block
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(Object.keys(env).length).toBeGreaterThan(5);
  const config = readConfig({ ...env, ADMIN_TOKEN: 'x'.repeat(32) }, '/');
  expect(config).toMatchObject({ database: { engine: 'postgres' }, demo: false, host: '0.0.0.0' });
});
