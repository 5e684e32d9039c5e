import { readFileSync, writeFileSync } from 'node:fs';
import { errorTable, operatorCodes } from '@session-launch/contract/errors';
import { expect, test } from 'vitest';
import { countOf, readRules, readSubjects, rulesPage } from '../harness/rules.ts';

const subjects = await readSubjects();

test('docs/coverage.md lists the rules of the tests (UPDATE=1 rewrites it)', () => {
  const file = new URL('../../../docs/coverage.md', import.meta.url);
  const page = rulesPage(subjects);
  if (process.env.UPDATE === '1') writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});

test('tests of every kind are found', () => {
  const kinds = new Set(subjects.map(({ kind }) => kind));
  for (const kind of ['acceptance', 'browser', 'cli', 'faults', 'processes', 'unit']) {
    expect(kinds).toContain(kind);
  }
});

test('every public error code is covered by a test over HTTP', () => {
  const sources = subjects
    .filter(({ kind }) => kind === 'acceptance')
    .map(({ path }) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
    .join('\n');
  const codes = Object.entries(errorTable).filter(
    ([code, { status }]) => status < 500 && !operatorCodes.includes(code),
  );
  for (const [code] of codes) expect(sources, code).toContain(`'${code}'`);
});

test('groups nest, a table of cases is one rule, and a title without words shows its cases', async () => {
  const rules = await readRules(`
    const cases: [string, number][] = [['a short one', 1], ['a long one', 2]];
    describe.each(doors)('%s', (door) => {
      describe('a body', () => {
        test.each<number>([1, 2])('of %i bytes is taken', () => {});
        it.each(cases)('%s', () => {});
      });
      test(\`\${door} is closed\`, async () => { test.notATitle(); });
    });
    test.skipIf(false)('twice', () => {});
    test('twice', () => {});
    const onPostgres = engine === 'postgres' ? describe : () => undefined;
    onPostgres('a lock', () => test('is held', () => {}));
  `);
  expect(rules).toEqual([
    {
      title: 'a body',
      within: [{ title: 'of … bytes is taken' }, { title: '…', cases: ['a short one', 'a long one'] }],
    },
    { title: '… is closed' },
    { title: 'twice' },
    { title: 'a lock', within: [{ title: 'is held' }] },
  ]);
  expect(countOf(rules)).toBe(5);
});
