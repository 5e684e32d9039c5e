import { launchOptions, nameOf, sharedSwitches } from '@session-launch/testing/launch-chromium.ts';
import { adminToken, runtimeToken } from '@session-launch/testing/target.ts';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium, noChromium } from '../../../testing/src/chromium.ts';
import { startTalking } from './talking-process.ts';

/** Global setup of the browser tests: the browser executable, the browsers that files share, and a service with a runtime. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const open = await findChromium();
  if (open === undefined) throw new Error(noChromium);
  const { program, env, dispose } = await open();
  project.provide('chromium', { program, env });
  const disposals = [dispose];
  const disposeAll = async () => {
    for (const end of disposals.reverse()) await end();
  };
  try {
    const browsers: Record<string, string> = {};
    for (const switches of sharedSwitches) {
      const browser = await chromium.launchServer(launchOptions({ program, env }, switches));
      disposals.push(() => browser.close());
      browsers[nameOf(switches)] = browser.wsEndpoint();
    }
    project.provide('browsers', browsers);
    // Few tests are about recognised words, and the model takes CPU time.
    const talking = await startTalking(project.getProvidedContext().dataFolder, { HEARING: 'page' });
    disposals.push(() => talking.stop());
    const { url, adminUrl } = talking.service;
    project.provide('talking', { url, adminUrl, adminToken, runtimeToken });
  } catch (error) {
    await disposeAll();
    throw error;
  }
  return disposeAll;
}
