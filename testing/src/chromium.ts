import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An executable browser and the environment that it needs. */
export interface Chromium {
  program: string;
  /** Environment variables to set in addition to the inherited ones. */
  env: Record<string, string>;
}

/** Unpacks the browser if it is an archive; `dispose` removes the unpacked files. */
export type OpenChromium = () => Promise<Chromium & { dispose(): Promise<void> }>;

export const noChromium =
  'there is no Chromium for the browser tests: install chromium or Google Chrome, name one in the variable CHROMIUM, or run "npx playwright-core install chromium --only-shell"';

const told = Symbol.for('session-launch.no-chromium-told');

/** Prints how to install a browser, once per process: vitest loads its configuration once per project. */
export function warnNoChromium(): void {
  const known = globalThis as { [told]?: true };
  if (known[told]) return;
  known[told] = true;
  process.stderr.write(`skipping the browser tests: ${noChromium}\n`);
}

/**
 * Looks for a browser in this order: the path in CHROMIUM, an installed one, the one in the npm package for Linux on x64, and the one
 * installed by Playwright.
 */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<OpenChromium | undefined> {
  if (env.CHROMIUM) return (await firstExecutable([env.CHROMIUM])) ? asIs(env.CHROMIUM) : undefined;
  const installed = await firstExecutable(installedPrograms(env));
  if (installed !== undefined) return asIs(installed);
  if (comesPacked()) return unpack;
  const playwrights = await firstExecutable(await playwrightPrograms());
  return playwrights === undefined ? undefined : asIs(playwrights);
}

function asIs(program: string): OpenChromium {
  return async () => ({ program, env: {}, dispose: async () => undefined });
}

function installedPrograms(env: NodeJS.ProcessEnv): string[] {
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((name) => join(folder, name)));
  if (platform() !== 'darwin') return onPath;
  const folders = ['/Applications', join(env.HOME ?? '', 'Applications')];
  const apps = ['Google Chrome', 'Chromium'];
  return [
    ...folders.flatMap((folder) => apps.map((app) => join(folder, `${app}.app/Contents/MacOS/${app}`))),
    ...onPath,
  ];
}

async function playwrightPrograms(): Promise<string[]> {
  const { chromium } = await import('playwright-core');
  const headed = chromium.executablePath();
  return [headed, headlessShell(headed)];
}

/** The path of the headless shell that `--only-shell` installs, derived from the path of the full browser. */
export function headlessShell(headed: string): string {
  return headed
    .replace(/chromium-(\d+)/, 'chromium_headless_shell-$1')
    .replace(/chrome-([^/]+)\/.*$/, 'chrome-headless-shell-$1/chrome-headless-shell');
}

async function firstExecutable(programs: readonly string[]): Promise<string | undefined> {
  for (const program of programs) {
    const found = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return undefined;
}

/** Whether @sparticuz/chromium is installed. It contains a browser for Linux on x64. */
function comesPacked(): boolean {
  if (platform() !== 'linux' || arch() !== 'x64') return false;
  try {
    createRequire(import.meta.url).resolve('@sparticuz/chromium');
    return true;
  } catch {
    return false;
  }
}

/**
 * Unpacks into a temporary folder of this run. Runs as a child process because the package reads environment variables: the temporary
 * folder, and one that makes it also unpack the shared libraries that minimal systems lack.
 */
async function unpack(): Promise<Chromium & { dispose(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-chromium-'));
  const script = `import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath());`;
  const { stdout: program } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
  const env = (await lacksLibraries(program)) ? { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') } : {};
  return { program, env, dispose: () => rm(folder, { recursive: true, force: true }) };
}

async function lacksLibraries(program: string): Promise<boolean> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: 'not found' }));
  return stdout.includes('not found');
}
