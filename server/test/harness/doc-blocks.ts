import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPage } from './pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * A fenced block of a documentation page. A comment on the line above names the test that runs it, or the reason why none does:
 *
 *     <!-- run by: server/test/processes/commands.test.ts -->
 *     <!-- not run: takes 15 minutes -->
 *
 * `<!-- commands run by: FILE -->` applies to all shell blocks of a page that have no comment of their own, and
 * `<!-- examples run by: FILE -->` to its JSON blocks.
 */
export interface Block {
  page: string;
  /** Number of the line that opens the block. */
  line: number;
  language: string;
  text: string;
  runBy?: string;
  notRun?: string;
}

const shells = ['sh', 'bash', 'shell', 'console', 'zsh'];
/** Languages of commands and of configuration that a reader copies. */
const copied = [
  ...shells,
  'sql',
  'nginx',
  'caddyfile',
  'haproxy',
  'yaml',
  'yml',
  'ini',
  'toml',
  'dockerfile',
];
/** Languages of code and of data that a reader copies or compares. */
const shown = ['js', 'mjs', 'ts', 'tsx', 'jsx', 'html', 'json', 'python', 'go'];

/** Whether a test must run the block, or a comment say why none does. */
export const isShown = ({ language }: Block) => copied.includes(language) || shown.includes(language);
export const isCommand = ({ language }: Block) => copied.includes(language);
export const isShell = ({ language }: Block) => shells.includes(language);

/** Every page of the repository: at its root, in docs/, and the README of each package and example folder. */
export const pages: string[] = [
  ...markdownIn('.'),
  ...markdownIn('docs'),
  ...folders('docs').flatMap(markdownIn),
  ...packages().filter((page) => existsSync(join(root, page))),
];

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

function folders(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name));
}

function packages(): string[] {
  const first = folders('.').filter((folder) => folder !== 'docs');
  return [...first, ...first.flatMap(folders)].map((folder) => join(folder, 'README.md'));
}

/** The fenced blocks of a page. */
export function blocksOf(page: string): Block[] {
  const markdown = readPage(page);
  const [, ofPage] = /^<!-- commands run by: (\S+) -->$/m.exec(markdown) ?? [];
  const [, ofJson] = /^<!-- examples run by: (\S+) -->$/m.exec(markdown) ?? [];
  const fenced =
    /^(?:[ ]*<!-- (?<way>run by|not run): (?<what>.+) -->\n)?(?<indent>[ ]*)(?<fence>`{3,}|~{3,})(?<language>[\w-]*)[^\n]*\n(?<body>[\s\S]*?)^[ ]*\k<fence>$/gm;
  return [...markdown.matchAll(fenced)].map(({ groups = {}, index }) => {
    const { way, what = '', indent = '', language = '', body = '' } = groups;
    const opening = markdown.slice(0, index).split('\n').length + (way === undefined ? 0 : 1);
    const block: Block = {
      page,
      line: opening,
      language,
      text: body.replace(new RegExp(`^${indent}`, 'gm'), ''),
    };
    if (way === 'not run') return { ...block, notRun: what };
    const runBy =
      way === 'run by' ? what : isShell(block) ? ofPage : language === 'json' ? ofJson : undefined;
    return runBy === undefined ? block : { ...block, runBy };
  });
}

/** The blocks whose comment names a test file. A test that calls this must run all of them. */
export function blocksRunBy(testUrl: string): Block[] {
  const file = relative(root, fileURLToPath(testUrl));
  const found = pages.flatMap(blocksOf).filter(({ runBy }) => runBy === file);
  if (found.length === 0) throw new Error(`no block of the documentation names ${file}`);
  return found;
}

/** The only block of a page that names a test file and contains a text. */
export function blockRunBy(testUrl: string, page: string, containing = ''): string {
  const found = blocksRunBy(testUrl).filter(
    (block) => block.page === page && block.text.includes(containing),
  );
  if (found.length !== 1) throw new Error(`${found.length} blocks of ${page} contain ${containing}`);
  return found[0]!.text;
}
