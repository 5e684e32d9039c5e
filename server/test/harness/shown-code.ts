import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startApplication } from '@session-launch/testing/application.ts';
import { type Site, startSite, useBrowser, watch } from '@session-launch/testing/browser.ts';
import { silentMicrophone } from '@session-launch/testing/launch-chromium.ts';
import { temporaryFolder } from '@session-launch/testing/process.ts';
import { createKey } from '@session-launch/testing/world.ts';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { isIn, onSlowScreen } from './talking-page.ts';
import { type Talking, useTalkingService } from './talking-service.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Creates a folder of an application with these files and the built packages. */
export async function applicationOf(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  await symlink(modules, join(folder.path, 'node_modules'), 'junction');
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  return folder.path;
}

/** Runs a program in a Node.js process and returns what it prints. Rejects if it fails. */
export async function runProgram(
  program: string,
  env: Record<string, string>,
  files: Record<string, string> = {},
): Promise<string> {
  const cwd = await applicationOf({ 'main.mjs': program, ...files });
  const { stdout, stderr } = await run(process.execPath, ['main.mjs'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  });
  expect(stderr).toBe('');
  return stdout;
}

/** Runs a command in a shell and returns what it prints. */
export async function runCommand(command: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout } = await run('sh', ['-c', command], { env: { PATH: process.env.PATH, ...env } });
  return stdout;
}

const opened = "function () { console.log('Open http://localhost:' + this.address().port + '/'); }";

/** Runs a command in the folder of an application with these files and returns what it prints. Rejects if it fails. */
export async function runCommandWith(files: Record<string, string>, command: string): Promise<string> {
  const cwd = await applicationOf(files);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { stdout, stderr } = await run('sh', ['-c', command], { cwd, env: { PATH: path } });
  expect(stderr).toBe('');
  return stdout;
}

/** Serves a program that listens on port 3000, on a free port instead. */
export async function serveProgram(
  program: string,
  env: Record<string, string>,
  files: Record<string, string> = {},
): Promise<{ url: string; output(): string }> {
  const free = program.replace('listen(3000', `listen(0, 'localhost', ${opened}`);
  expect(free).not.toBe(program);
  return startApplication(await applicationOf({ 'main.mjs': free, ...files }), ['main.mjs'], env);
}

/** Opens a page. Returns it with the complaints of the browser. */
export async function openPage(
  context: BrowserContext,
  origin: string,
  home: string,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  onTestFinished(() => page.close());
  const complaints = await watch(page, home, origin);
  await page.goto(`${origin}/`);
  return { page, complaints };
}

/** Presses Start and waits until the character speaks. */
export async function talksOn(page: Page, label: string | RegExp = 'Start'): Promise<void> {
  await page.getByRole('button', { name: label }).click();
  await isIn(page, 'speaking');
}

/** What tests of shown code need: a service with a character, a key of its project, an allowed site and a browser with a microphone. */
export interface ShownPages {
  talking: Talking;
  readonly site: Site;
  readonly context: BrowserContext;
  readonly key: string;
  /** Opens a page of the site with this body. */
  open(body: string): ReturnType<typeof openPage>;
}

export function useShownPages(): ShownPages {
  let site: Site;
  let context: BrowserContext;
  let key: string;
  beforeAll(async () => {
    site = await startSite();
  });
  const talking = useTalkingService(() => [site.origin]);
  const browser = useBrowser(...silentMicrophone);
  beforeAll(async () => {
    context = await onSlowScreen(await browser.open({ permissions: ['microphone'] }));
    ({ key } = await createKey(talking.service, talking.projectId));
  });
  afterAll(async () => {
    await context?.close();
    await site?.close();
  });
  return {
    talking,
    get site() {
      return site;
    },
    get context() {
      return context;
    },
    get key() {
      return key;
    },
    open: (body) => {
      site.show(body);
      return openPage(context, site.origin, talking.service.url);
    },
  };
}
