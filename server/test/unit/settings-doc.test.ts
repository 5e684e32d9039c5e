import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkRuntime, demoProjectFile, readConfig } from '../../src/config/config.ts';
import { allVariables } from '../../src/config/variables.ts';
import { parseProjectFile } from '../../src/documents/project-file.ts';
import { blockRunBy, blocksOf, blocksRunBy, isShell, pages } from '../harness/doc-blocks.ts';
import { readPage } from '../harness/pages.ts';

const known = new Set(allVariables.map(({ name }) => name));

/** Blocks that set variables of the service, also those that then start it and are not run for that reason. */
const settings = [
  ...blocksRunBy(import.meta.url),
  ...pages
    .flatMap(blocksOf)
    .filter(
      ({ notRun, text }) =>
        notRun !== undefined && /^[A-Z_]+=.*(npm start|session-launch runtime)/ms.test(text),
    ),
].filter(isShell);

/**
 * Runs a block in a shell in which the commands print the variables instead of starting anything, with a token for each placeholder.
 * Returns the variables.
 */
async function variablesOf(block: string): Promise<Record<string, string>> {
  const script = [
    'set -eu',
    // Only the first command that starts something counts.
    'show() { env -0; exit; }',
    'npm() { show; }; npx() { show; }',
    // Servers of language models.
    'ollama() { :; }; vllm() { :; }',
    `command -v openssl >/dev/null || openssl() { echo '${'0'.repeat(64)}'; }`,
    'set -a',
    block.replace(/(?<==)…/g, () => crypto.randomUUID().repeat(2)).replaceAll('…', 'x'),
    'show',
  ].join('\n');
  // With a socket as standard input, as here, Bash would read ~/.bashrc.
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', script], {
    env: { PATH: process.env.PATH },
  });
  return Object.fromEntries(
    stdout
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => line.split(/=(.*)/s, 2)),
  );
}

test('blocks with settings are found', () => {
  expect(settings.length).toBeGreaterThan(12);
});

test.each(settings.map((block) => ({ ...block, name: `${block.page}:${block.line}` })))(
  'the settings of $name are accepted',
  async ({ text }) => {
    const env = await variablesOf(text);
    const set = Object.keys(env).filter((name) => !['PATH', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name));
    expect(set.filter((name) => !known.has(name))).toEqual([]);
    expect(set).not.toEqual([]);
    if (text.includes('session-launch runtime')) checkRuntime(env, '/');
    else readConfig(env, '/');
  },
);

/** Applies a change to the demo project and checks the result as `session-launch apply` does. */
function withDemo(change: (file: ReturnType<typeof parse>) => void): void {
  const file = parse(readPage(demoProjectFile.slice(demoProjectFile.indexOf('examples/'))));
  change(file);
  parseProjectFile(JSON.stringify(file), 'json');
}

test('the limits of docs/operations.md are valid in a project file', () => {
  const { project } = parse(blockRunBy(import.meta.url, 'docs/operations.md', 'mintsPerMinutePerClient'));
  withDemo((file) => Object.assign(file.project, project));
});

test('the thread of docs/scripts.md is valid in a project file', () => {
  const topics = parse(blockRunBy(import.meta.url, 'docs/scripts.md', 'riddle'));
  withDemo((file) => file.experiences[0].runtime.mind.topics.push(...topics));
});

test('the tools of docs/tools.md, and the topic that calls one, are valid in a project file', () => {
  const { tools, topics } = parse(blockRunBy(import.meta.url, 'docs/tools.md', 'book_table'));
  withDemo((file) => {
    file.experiences[0].runtime.mind.tools = tools;
    file.experiences[0].runtime.mind.topics.push(...topics);
  });
});

test('the voice of docs/scripts.md is valid in a project file', () => {
  const { voice } = parse(blockRunBy(import.meta.url, 'docs/scripts.md', 'voice:'));
  withDemo((file) => {
    file.experiences[0].runtime.characters[0].voice = voice;
  });
});
