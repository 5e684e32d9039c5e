import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ConfigError, readClientConfig, readConfig } from '../../src/config/config.ts';
import { allVariables as all } from '../../src/config/variables.ts';

const file = new URL('../../../docs/configuration.md', import.meta.url);
const page = readFileSync(file, 'utf8');

/** The generated text between the two comments of the page. */
const generated = /(?<=<!-- variables: written by npm run docs -->\n\n).*?(?=\n\n<!-- end of variables -->)/s;

function table(): string {
  const rows = all.map((variable) => [
    `\`${variable.name}\``,
    variable.default === undefined ? (variable.otherwise ?? 'unset') : `\`${variable.default}\``,
    variable.readBy,
    `${variable.meaning}${variable.secret === 'whole' ? ' Secret.' : ''}`,
  ]);
  const lines = [['Variable', 'Default', 'Read by', 'Meaning'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...lines.map((cells) => cells[column]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  return [line(lines[0]!), rule, ...rows.map(line)].join('\n');
}

test('the table of variables matches the code (npm run docs rewrites it)', () => {
  if (process.env.UPDATE === '1') writeFileSync(file, page.replace(generated, table));
  expect(generated.exec(readFileSync(file, 'utf8'))?.[0]).toBe(table());
});

test('every variable has a description, and a default or a text for its absence, not both', () => {
  for (const { name, meaning, default: byDefault, otherwise } of all) {
    expect(meaning, name).toMatch(/^.{20,}\.$/);
    expect(byDefault === undefined || otherwise === undefined, name).toBe(true);
  }
});

test('every default is an accepted value', () => {
  for (const variable of all.filter((v) => v.default !== undefined)) {
    expect(variable.parse(variable.default!, '/'), variable.name).not.toBeUndefined();
  }
});

/** The problems that a configuration reader reports for invalid values. */
function problems(read: () => unknown): { variable: string; got: string }[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

test('each program reads the variables that the table lists, and prints no secret', () => {
  const bad = Object.fromEntries(all.map(({ name }) => [name, 'hunter2:hunter2@\0 ']));
  // The service also validates the variables of its runtime.
  const sides: Record<string, string[]> = {
    service: ['service', 'both', 'runtime'],
    'command line': ['command line', 'both'],
  };
  const readBy = (side: string) => all.filter((v) => sides[side]!.includes(v.readBy));
  const secrets = all.filter((v) => v.secret !== undefined).map((v) => v.name);
  for (const [side, found] of [
    ['service', problems(() => readConfig(bad, '/'))],
    ['command line', problems(() => readClientConfig(bad, '/'))],
  ] as const) {
    expect(found.map((p) => p.variable).sort()).toEqual(
      readBy(side)
        .map((v) => v.name)
        .sort(),
    );
    for (const { variable, got } of found) {
      if (secrets.includes(variable)) expect(got, variable).not.toContain('hunter2');
    }
  }
});

test('every variable that the page mentions exists', () => {
  const names = new Set(all.map((variable) => variable.name));
  const mentioned = [...page.matchAll(/\b([A-Z]+(?:_[A-Z]+)+)\b/g)].map(([, name = '']) => name);
  expect(mentioned.filter((name) => !names.has(name))).toEqual([]);
});

test('the production example is a valid configuration', () => {
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
