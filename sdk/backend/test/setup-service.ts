import type {} from '@session-launch/testing/deployment.ts';
import { startProcess, temporaryFolder } from '@session-launch/testing/process.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import type { TestProject } from 'vitest/node';

/** Starts the service that every test here talks to, with the demo project, on the embedded engine. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const { url, adminUrl, kill } = await startProcess({ DEMO: 'on', DATA_DIR: folder.path }, folder.path);
  project.provide('deployments', [{ url, adminUrl, adminToken, runtimeToken }]);
  return async () => {
    await kill('SIGKILL');
    await folder.remove();
  };
}
