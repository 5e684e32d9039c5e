import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployedService } from '@session-launch/testing/deployment.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { type Command, commandsOf, expectAsShown, walkThrough } from '@session-launch/testing/walkthrough.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const commands = commandsOf(readFileSync(join(root, 'docs', 'backend-tutorial.md'), 'utf8'));
const service = deployedService();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let replacements: [written: string, real: string][];
let printed: Map<Command, string>;

/** Replaces the URLs on the page, which are those of a default start. */
function here(text: string): string {
  return replacements.reduce((result, [written, real]) => result.replaceAll(written, real), text);
}

beforeAll(async () => {
  folder = await temporaryFolder();
  const port = await freePort();
  // The only dependency is installed from a tarball, so that no registry is needed.
  const jose = inject('packages').find(({ name }) => name === 'jose')?.tarball;
  expect(jose).toBeDefined();
  replacements = [
    ['http://127.0.0.1:8080', service.url],
    ['localhost:3000', `localhost:${port}`],
    ['listen(3000', `listen(${port}`],
    ['--workspace sdk/backend', join(root, 'sdk', 'backend')],
    ['npm install --silent', `npm install --silent ${jose}`],
  ];
  const env = {
    ADMIN_URL: service.adminUrl,
    ADMIN_TOKEN: service.adminToken,
    // The package is already built, and other tests are reading its files.
    npm_config_ignore_scripts: 'true',
  };
  printed = await walkThrough(commands, folder.path, env, here);
});

afterAll(() => folder.remove());

test('the page has shell commands, and the test runs all of them', () => {
  expect(commands.filter(({ notRun }) => notRun !== undefined)).toEqual([]);
  expect(commands.length).toBeGreaterThan(5);
});

test.each(commands.map((command) => [command.title, command] as const))('%s', (_title, command) => {
  expectAsShown(printed.get(command) ?? '', command, here);
});
