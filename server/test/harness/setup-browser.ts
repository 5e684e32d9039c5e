import chromium from '@sparticuz/chromium';
import type { TestProject } from 'vitest/node';

/**
 * Unpacks the Chromium that comes with npm, once, before test files race for it. It is built for Linux on x64:
 * elsewhere, CHROMIUM names the program to use.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', process.env.CHROMIUM ?? (await chromium.executablePath()));
}

declare module 'vitest' {
  export interface ProvidedContext {
    chromium: string;
  }
}
