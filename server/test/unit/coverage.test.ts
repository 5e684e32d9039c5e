import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorTable, operatorCodes } from '@session-launch/contract/errors';
import { expect, test } from 'vitest';
import { countOf, readRules, readSubjects, rulesPage } from '../../docs/rules.mjs';
import { Links, sourceFiles, sources, testsFolder } from '../../docs/sources.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const subjects = await readSubjects(root);

test('the page of /docs/ lists the titles of the tests', () => {
  const page = rulesPage(subjects);
  expect(page).toContain('\n### coverage · ');
  expect(page).toContain('\n`server/test/unit/coverage.test.ts`\n');
  expect(page).toContain('\n- the page of /docs/ lists the titles of the tests\n');
});

test('links of the documentation to the folder of the tests lead to that page', () => {
  const links = new Links(root, sources(root));
  expect(links.resolve('docs/README.md', '../server/test')).toBe('coverage');
  expect(links.resolve('docs/decisions/README.md', '../../server/test')).toBe('../coverage');
});

test('where there are no tests, as in an image, there is no page and links to it become plain text', () => {
  const pages = sources(root);
  pages.delete(testsFolder);
  expect(new Links(root, pages).resolve('docs/README.md', '../server/test')).toBeUndefined();
});

test('a changed test does not make the built documentation stale', () => {
  const files = sourceFiles(root);
  expect(files).toContain(join(root, 'docs/README.md'));
  expect(files.filter((file) => file.includes('/test'))).toEqual([]);
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
