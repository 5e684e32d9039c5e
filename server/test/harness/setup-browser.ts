import type { TestProject } from 'vitest/node';
import { build, isStale } from '../../../sdk/browser/build.mjs';
import { findChromium, noChromium } from '../../../testing/src/chromium.ts';

/** Opens the browser and builds the SDK once, before test files race for them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (isStale()) await build();
  const open = await findChromium();
  if (open === undefined) throw new Error(noChromium);
  const { program, env, dispose } = await open();
  project.provide('chromium', { program, env });
  return dispose;
}
