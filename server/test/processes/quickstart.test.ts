import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '@session-launch/testing/data-folder.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { type ServiceProcess, startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import {
  type Command,
  commandsOf,
  expectAsShown,
  lines,
  pattern,
  walkThrough,
} from '@session-launch/testing/walkthrough.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(root, 'docs', 'quickstart.md'), 'utf8');

const commands = commandsOf(page);
const run = commands.filter((command) => command.notRun === undefined);

let service: ServiceProcess;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let replacements: [written: string, real: string][];
let printed: Map<Command, string>;

/** Replaces the URLs on the page, which are those of a default start, with those of this service. */
function here(text: string): string {
  return replacements.reduce((result, [written, real]) => result.replaceAll(written, real), text);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const dataDir = await prepareDataFolder(join(folder.path, 'data'));
  // Started as on the page: with the demo project, and with an admin token that the command line reads from the folder.
  service = await startProcess({ DEMO: 'on', DATA_DIR: dataDir, ADMIN_TOKEN: '' });
  const pagePort = await freePort();
  replacements = [
    ['http://127.0.0.1:8080', service.url],
    ['http://127.0.0.1:8081', service.adminUrl],
    ['http://localhost:8081', service.adminUrl.replace('127.0.0.1', 'localhost')],
    // The example web server. Its origin without a trailing slash stays the one on the allowlist.
    ['http://localhost:5173/', `http://localhost:${pagePort}/`],
    ['listen(5173', `listen(${pagePort}`],
  ];
  const env = {
    API_KEY: /API key\s+(\S+)/.exec(service.stdout())?.[1] ?? '',
    ADMIN_URL: service.adminUrl,
    DATA_DIR: dataDir,
  };
  printed = await walkThrough(commands, folder.path, env, here);
});

afterAll(async () => {
  await service?.kill('SIGTERM');
  await folder?.remove();
});

test('leaves out only commands that cannot be run', () => {
  const reasons = commands.flatMap(({ notRun }) => notRun ?? []);
  expect(reasons).toEqual(['starts the service', 'the key is different for everyone']);
  expect(run.length).toBeGreaterThan(12);
});

test('shows the output of a first start', () => {
  const { shown } = commands.find(({ notRun }) => notRun === 'starts the service') ?? {};
  expect(lines(service.stdout())).toMatch(new RegExp(`^${pattern(lines(here(shown?.text ?? '')))}`));
});

test.each(run.map((command) => [command.title, command] as const))('%s', (_title, command) => {
  expectAsShown(printed.get(command) ?? '', command, here);
});
