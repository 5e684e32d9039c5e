import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const run = promisify(execFile);

interface Browser {
  program: string;
  /** Variables that the program needs beside the usual ones. */
  env: Record<string, string>;
}

/**
 * Unpacks the Chromium that comes with npm, once, before test files race for it, into a folder of this run alone. It is
 * built for Linux on x64: elsewhere, CHROMIUM names the program to use.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.CHROMIUM) {
    project.provide('chromium', { program: process.env.CHROMIUM, env: {} });
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'session-launch-chromium-'));
  const program = await unpack(folder);
  const env = (await lacksLibraries(program)) ? { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') } : {};
  project.provide('chromium', { program, env });
  return () => rm(folder, { recursive: true, force: true });
}

/**
 * In a process of its own, because the package goes by variables: where the temporary folder is, and one with which it
 * also unpacks the libraries that a bare system lacks.
 */
async function unpack(folder: string): Promise<string> {
  const script = `import chromium from '@sparticuz/chromium'; process.stdout.write(await chromium.executablePath());`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  });
  return stdout;
}

async function lacksLibraries(program: string): Promise<boolean> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: 'not found' }));
  return stdout.includes('not found');
}

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: Browser;
  }
}
