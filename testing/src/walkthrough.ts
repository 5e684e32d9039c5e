import { spawn } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Command {
  /** The heading and the first line of the command, to locate it on the page. */
  title: string;
  text: string;
  /** The reason given on the page for not running the command in tests. */
  notRun?: string;
  /** The output block that follows the command on the page. */
  shown?: { language: string; text: string };
}

/** The shell commands of a Markdown page, each with the output that the page shows for it. */
export function commandsOf(markdown: string): Command[] {
  const commands: Command[] = [];
  const part =
    /^## (?<heading>.+)$|^(?:<!-- not run: (?<reason>.+) -->\n)?```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm;
  let heading = '';
  for (const { groups } of markdown.matchAll(part)) {
    const { reason, language = '', text = '' } = groups ?? {};
    const last = commands.at(-1);
    if (groups?.heading !== undefined) heading = groups.heading;
    else if (['text', 'json'].includes(language) && last) last.shown = { language, text };
    else if (language === 'sh') {
      const title = `${heading}: ${text.split('\n')[0]}`;
      commands.push({ title, text, ...(reason === undefined ? {} : { notRun: reason }) });
    }
  }
  return commands;
}

/**
 * Runs the runnable commands in one shell, so that variables and functions persist. Returns the output of each; an error names the
 * command that failed. `here` replaces the URLs on the page with those of the test.
 */
export async function walkThrough(
  commands: readonly Command[],
  cwd: string,
  env: Record<string, string>,
  here: (text: string) => string,
): Promise<Map<Command, string>> {
  const run = commands.filter(({ notRun }) => notRun === undefined);
  // `npx` needs a node_modules folder. A symlink keeps the files of the page out of the checkout.
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'), 'junction');
  // Last on the PATH: used only if curl is not installed.
  await mkdir(join(cwd, 'bin'));
  await symlink(fileURLToPath(new URL('curl.js', import.meta.url)), join(cwd, 'bin', 'curl'));
  const { stderr } = await bash(
    run.map(({ text }, index) => `{\n${here(text)}\n} >"$PRINTED/printed-${index}"`),
    cwd,
    { PRINTED: cwd, ...env },
  );
  const printed = new Map<Command, string>();
  for (const [index, command] of run.entries()) {
    const text = await readFile(join(cwd, `printed-${index}`), 'utf8').catch(() => undefined);
    if (text !== undefined) printed.set(command, text);
  }
  if (await readFile(join(cwd, 'done')).catch(() => undefined)) return printed;
  const last = [...printed.keys()].at(-1);
  throw new Error(last ? `this command of the page failed: ${last.title}\n${stderr}` : stderr);
}

async function bash(
  commands: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ stderr: string }> {
  const script = [
    'set -euo pipefail',
    'for tool in curl node npx; do',
    '  command -v "$tool" >/dev/null || { echo "the page needs $tool, which is not installed" >&2; exit 1; }',
    'done',
    `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`,
    // After the first use, runs the program directly: loading npm takes longer than most of the commands.
    'npx() {',
    '  if [ ! -e "$PRINTED/npx-used" ]; then touch "$PRINTED/npx-used"; command npx "$@"; return; fi',
    '  local name=$1; shift; "$PRINTED/node_modules/.bin/$name" "$@"',
    '}',
    ...commands,
    'echo yes >"$PRINTED/done"',
  ].join('\n');
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: {
      PATH: [dirname(process.execPath), process.env.PATH, join(cwd, 'bin')].join(delimiter),
      HOME: process.env.HOME,
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 540_000,
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', (cause) => reject(new Error('the page needs bash', { cause })));
  });
  return { stderr };
}

/** Compares the output of a command with the output on the page. */
export function expectAsShown(text: string, { shown }: Command, here: (text: string) => string): void {
  if (shown === undefined) expect(text).toBe('');
  else if (shown.language === 'json')
    expectShown(JSON.parse(text), JSON.parse(here(shown.text)), 'the answer');
  else expect(lines(text)).toMatch(new RegExp(`^${pattern(lines(here(shown.text)))}$`));
}

/** Collapses white space, since column widths vary. */
export function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .join('\n')
    .trim();
}

/** `…` matches any text on its line. */
export function pattern(text: string): string {
  return text
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^\\n]*');
}

/** Placeholders in JSON on the page: `…` inside a string, `"…": "…"` for more fields, `"…"` at the end of an array for more items. */
function expectShown(actual: unknown, shown: unknown, path: string): void {
  if (typeof shown === 'string' && shown.includes('…')) {
    expect(actual, path).toMatch(new RegExp(`^${pattern(shown)}$`));
  } else if (Array.isArray(shown)) {
    const wanted = shown.at(-1) === '…' ? shown.slice(0, -1) : shown;
    const items = actual as unknown[];
    if (wanted === shown) expect(items, path).toHaveLength(shown.length);
    for (const [index, item] of wanted.entries()) expectShown(items[index], item, `${path}[${index}]`);
  } else if (typeof shown === 'object' && shown !== null) {
    const { '…': more, ...wanted } = shown as Record<string, unknown>;
    const fields = actual as Record<string, unknown>;
    if (more === undefined) expect(Object.keys(fields).sort(), path).toEqual(Object.keys(wanted).sort());
    for (const [field, value] of Object.entries(wanted)) {
      expect(fields, path).toHaveProperty([field]);
      expectShown(fields[field], value, `${path}.${field}`);
    }
  } else {
    expect(actual, path).toBe(shown);
  }
}
