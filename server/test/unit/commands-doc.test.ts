import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { type Block, blocksOf, isCommand, isShell, isShown, pages } from '../harness/doc-blocks.ts';
import { readPage } from '../harness/pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const blocks = pages.flatMap(blocksOf);
const shown = blocks.filter(isShown);
const placeOf = ({ page, line, text }: Block) => `${page}:${line}: ${text.trim().split('\n', 1)[0]}`;
const asks =
  'Write <!-- run by: FILE --> above the block and run it in that test (see server/test/harness/doc-blocks.ts), or <!-- not run: REASON -->';

test('every block of commands, configuration, code and data is run by a test, or marked as not run with the reason', () => {
  const open = shown.filter(({ runBy, notRun }) => runBy === undefined && notRun === undefined);
  expect(open.map(placeOf), asks).toEqual([]);
  for (const { notRun, ...block } of shown)
    if (notRun !== undefined) expect(notRun.length, placeOf(block)).toBeGreaterThan(9);
});

test('commands are in blocks with a language, so that they are found', () => {
  const hidden = blocks.filter(
    (block) =>
      !isCommand(block) && /^(\$ |npm |npx |curl |docker |kubectl |session-launch \w)/m.test(block.text),
  );
  expect(hidden.map(placeOf)).toEqual([]);
});

test.each([...new Set(shown.flatMap(({ runBy }) => runBy ?? []))])(
  '%s takes its blocks from the pages',
  (file) => {
    expect(existsSync(join(root, file)), asks).toBe(true);
    const source = readPage(file);
    const pagesOfFile = shown.filter(({ runBy }) => runBy === file).map(({ page }) => page);
    const isReading = /blocks?RunBy\(import\.meta\.url/.test(source);
    // A walk through one page names the page itself.
    for (const page of isReading ? [] : pagesOfFile) {
      expect(source).toContain('commandsOf(');
      expect(source).toContain(page.split('/').at(-1));
    }
  },
);

test('every npm script that a command uses exists', () => {
  const { scripts } = JSON.parse(readPage('package.json'));
  const named = shellTexts().flatMap(({ text }) =>
    [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test('every session-launch command and option that a block uses exists', async () => {
  const calls = shellTexts().flatMap(({ text }) =>
    [
      ...text
        .replaceAll('\\\n', ' ')
        .matchAll(/(?<!--namespace )session-launch(?:\.js)? +(?!session-launch )([a-z][^\n|&;]*)/g),
    ].map(([, call = '']) => call.replace(/ #.*$/, '')),
  );
  expect(calls.length).toBeGreaterThan(20);
  const helps = new Map<string, string>();
  for (const call of calls) {
    const [command = '', second = ''] = call.split(' ');
    const { stdout: help } = await runCli([command, '--help'], { cwd: root });
    const words = help.includes('\nCommands:\n') ? [command, second] : [command];
    const name = words.join(' ');
    if (!helps.has(name)) {
      const { code, stdout } = await runCli([...words, '--help'], { cwd: root });
      expect(code, call).toBe(0);
      helps.set(name, stdout);
    }
    expect(helps.get(name), call).toContain(`Usage: session-launch ${name}`);
    for (const option of call.match(/ --[a-z-]+/g) ?? [])
      expect(helps.get(name), call).toContain(option.trim());
  }
});

test('every file of the repository that a command names exists', () => {
  const named = shellTexts().flatMap(({ text, page }) =>
    [...text.matchAll(/(?<![\w/.-])((?:server\/)?test|deploy|examples|server|scripts)\/[\w./-]+/g)].map(
      ([path]) => (page === 'CONTRIBUTING.md' && path.startsWith('test/') ? `server/${path}` : path),
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  // Commands create the folders with secrets.
  const found = named.filter((path) => !path.endsWith('/secrets'));
  expect(found.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

function shellTexts(): Block[] {
  return blocks.filter(isShell);
}
