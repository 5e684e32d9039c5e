import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import type { TestProject } from 'vitest/node';
import { findChromium, noChromium } from '../../../testing/src/chromium.ts';
import { startTalking } from './talking-process.ts';

/** Global setup of the browser tests: the browser executable, and a service with a runtime. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const open = await findChromium();
  if (open === undefined) throw new Error(noChromium);
  const { program, env, dispose } = await open();
  project.provide('chromium', { program, env });
  const talking = await startTalking(project.getProvidedContext().dataFolder).catch(async (error) => {
    await dispose();
    throw error;
  });
  const { url, adminUrl } = talking.service;
  project.provide('talking', { url, adminUrl, adminToken, runtimeToken });
  return async () => {
    await talking.stop();
    await dispose();
  };
}
