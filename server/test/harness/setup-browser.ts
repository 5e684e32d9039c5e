import type { TestProject } from 'vitest/node';
import { findChromium, noChromium } from '../../../testing/src/chromium.ts';

/** Opens the browser once, before test files race for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const open = await findChromium();
  if (open === undefined) throw new Error(noChromium);
  const { program, env, dispose } = await open();
  project.provide('chromium', { program, env });
  return dispose;
}
