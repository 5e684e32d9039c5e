import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs', 'quickstart.md'), 'utf8');

interface Command {
  /** The heading it stands under and its first line: enough to find it on the page. */
  title: string;
  text: string;
  /** Why the page says that no test can run it. */
  notRun?: string;
  /** What the page shows right after it. */
  shown?: { language: string; text: string };
}

/** The shell commands of a page, each with the answer that the page shows for it. */
function commandsOf(markdown: string): Command[] {
  const commands: Command[] = [];
  const part =
    /^## (?<heading>.+)$|^(?:<!-- not run: (?<reason>.+) -->\n)?```(?<language>\w+)\n(?<text>[\s\S]*?)^```$/gm;
  let heading = '';
  for (const { groups } of markdown.matchAll(part)) {
    const { reason, language = '', text = '' } = groups ?? {};
    const last = commands.at(-1);
    if (groups?.heading !== undefined) heading = groups.heading;
    else if (language !== 'sh' && last) last.shown = { language, text };
    else if (language === 'sh') {
      const title = `${heading}: ${text.split('\n')[0]}`;
      commands.push({ title, text, ...(reason === undefined ? {} : { notRun: reason }) });
    }
  }
  return commands;
}

const commands = commandsOf(page);
const run = commands.filter((command) => command.notRun === undefined);

let service: ServiceProcess;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let replacements: [written: string, real: string][];
const printed = new Map<Command, string>();

/** The addresses of the page are those of a default start; this service listens elsewhere. */
function here(text: string): string {
  return replacements.reduce((result, [written, real]) => result.replaceAll(written, real), text);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  // `npx` finds the command line where it finds a node_modules, and the page's files stay out of the checkout.
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'), 'junction');
  // Behind everything else on the path: it serves only where there is no curl.
  await mkdir(join(folder.path, 'bin'));
  await symlink(
    fileURLToPath(new URL('../../../testing/src/curl.js', import.meta.url)),
    join(folder.path, 'bin', 'curl'),
  );
  const dataDir = await prepareDataFolder(join(folder.path, 'data'));
  // As a reader starts it: with the demo project, and with an admin token that the command line finds in the folder.
  service = await startProcess({ DEMO: 'on', DATA_DIR: dataDir, ADMIN_TOKEN: '' });
  const pagePort = await freePort();
  replacements = [
    ['http://127.0.0.1:8080', service.url],
    ['http://127.0.0.1:8081', service.adminUrl],
    // The little web server; its origin, written without a slash at the end, stays the one on the allowlist.
    ['http://localhost:5173/', `http://localhost:${pagePort}/`],
    ['listen(5173', `listen(${pagePort}`],
  ];
  const { stderr } = await bash(folder.path, {
    API_KEY: /API key\s+(\S+)/.exec(service.stdout())?.[1] ?? '',
    ADMIN_URL: service.adminUrl,
    DATA_DIR: dataDir,
  });
  for (const [index, command] of run.entries()) {
    const text = await readFile(join(folder.path, `printed-${index}`), 'utf8').catch(() => undefined);
    if (text !== undefined) printed.set(command, text);
  }
  if (await readFile(join(folder.path, 'done')).catch(() => undefined)) return;
  const last = [...printed.keys()].at(-1);
  throw new Error(last ? `this command of the quick start failed: ${last.title}\n${stderr}` : stderr);
});

afterAll(async () => {
  await service?.kill('SIGTERM');
  await folder?.remove();
});

/** Runs the commands one after the other in one shell, as a reader does: variables and functions stay. */
async function bash(cwd: string, env: Record<string, string>): Promise<{ stderr: string }> {
  const script = [
    'set -euo pipefail',
    'for tool in curl node npx; do',
    '  command -v "$tool" >/dev/null || { echo "the quick start needs $tool, which is not installed" >&2; exit 1; }',
    'done',
    `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT`,
    ...run.map(({ text }, index) => `{\n${here(text)}\n} >printed-${index}`),
    'echo yes >done',
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
    timeout: 170_000,
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await new Promise((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', (cause) => reject(new Error('the quick start needs bash', { cause })));
  });
  return { stderr };
}

test('leaves out only what cannot be run', () => {
  const reasons = commands.flatMap(({ notRun }) => notRun ?? []);
  expect(reasons).toEqual(['starts the service', 'the key is different for everyone']);
  expect(run.length).toBeGreaterThan(12);
});

test('shows what a first start prints', () => {
  const { shown } = commands.find(({ notRun }) => notRun === 'starts the service') ?? {};
  expect(lines(service.stdout())).toMatch(new RegExp(`^${pattern(lines(here(shown?.text ?? '')))}`));
});

test.each(run.map((command) => [command.title, command] as const))('%s', (_title, command) => {
  const text = printed.get(command) ?? '';
  const { shown } = command;
  if (shown === undefined) expect(text).toBe('');
  else if (shown.language === 'json')
    expectShown(JSON.parse(text), JSON.parse(here(shown.text)), 'the answer');
  else expect(lines(text)).toMatch(new RegExp(`^${pattern(lines(here(shown.text)))}$`));
});

/** How wide columns are does not matter. */
function lines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .join('\n')
    .trim();
}

/** `…` stands for whatever comes on that line. */
function pattern(text: string): string {
  return text
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('[^\\n]*');
}

/** The page's JSON: `…` inside a text, `"…": "…"` for more fields, `"…"` at the end of a list for more items. */
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
