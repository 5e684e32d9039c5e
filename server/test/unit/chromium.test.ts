import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findChromium, headlessShell, noChromium } from '../../../testing/src/chromium.ts';

const run = promisify(execFile);
const server = fileURLToPath(new URL('../../', import.meta.url));
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace('package.json', 'vitest.mjs');

/** Runs the tests with CHROMIUM set to a program that does not exist; returns the output. */
async function withoutBrowser(env: Record<string, string>, ...args: string[]) {
  const { NODE_OPTIONS: _, CI: __, ...inherited } = process.env;
  const options = { cwd: server, env: { ...inherited, CHROMIUM: '/nowhere/chromium', ...env } };
  return run(process.execPath, [vitest, 'list', '--filesOnly', ...args], options);
}

test('a CHROMIUM that does not exist counts as no browser', async () => {
  expect(await findChromium({ CHROMIUM: '/nowhere/chromium' })).toBeUndefined();
});

test('without a browser the run prints one line of advice, and skips the browser tests', async () => {
  const { stdout, stderr } = await withoutBrowser({});
  expect(stderr.split('\n').filter((line) => line.includes(noChromium))).toHaveLength(1);
  expect(stdout).toContain('test/unit/chromium.test.ts');
  expect(stdout).not.toContain('test/browser/');
});

test('with CI=true the browser tests are not skipped', async () => {
  const { stdout, stderr } = await withoutBrowser({ CI: 'true' });
  expect(stderr).not.toContain(noChromium);
  expect(stdout).toContain('test/browser/');
});

test.each([
  ['chrome-linux64/chrome', 'chrome-headless-shell-linux64'],
  ['chrome-linux-arm64/chrome', 'chrome-headless-shell-linux-arm64'],
  [
    'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    'chrome-headless-shell-mac-arm64',
  ],
])('the shell named in the advice is found next to %s', (headed, folder) => {
  const cache = '/home/me/.cache/ms-playwright';
  expect(headlessShell(`${cache}/chromium-1254/${headed}`)).toBe(
    `${cache}/chromium_headless_shell-1254/${folder}/chrome-headless-shell`,
  );
});
