import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type {} from '@session-launch/testing/deployment.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import type { TestProject } from 'vitest/node';
import { layOut, type Package } from './packages.ts';

/** Global setup: starts one service for all tests from its packages, with the demo and the runtime, on the embedded engine. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const packages = await layOut(folder.path);
  const program = join(folder.path, 'node_modules', 'session-launch', 'bin', 'session-launch.js');
  const home = join(folder.path, 'home');
  await mkdir(home);
  const env = { DEMO: 'on', RUNTIME: 'on', SPEECH: 'flite', SHUTDOWN_GRACE_SECONDS: '0' };
  const service = await startProcess(env, home, undefined, 'pipe', program);
  const { url, adminUrl } = service;
  project.provide('deployments', [{ url, adminUrl, adminToken, runtimeToken }]);
  project.provide('demoKey', /sl_test_\w+/.exec(service.stdout())?.[0] ?? '');
  project.provide('packages', packages);
  project.provide('program', program);
  return async () => {
    const { code } = await service.kill('SIGTERM');
    await folder.remove();
    if (code === 0) return;
    // vitest prints an error thrown here but does not fail the run, so the exit code is set.
    process.exitCode = 1;
    throw new Error(`the service ended with ${code}: ${service.stderr()}`);
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The API key that the service printed for its demo project. */
    demoKey: string;
    packages: Package[];
    /** Path of the command-line program in its package. */
    program: string;
  }
}
