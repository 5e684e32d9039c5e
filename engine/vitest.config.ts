import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { timeLimits } from '../testing/src/tiers.ts';

/** Resolves other workspaces to their sources instead of their last build. */
const ofProcess = fileURLToPath(new URL('../process/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/process\/(.*)$/, replacement: `${ofProcess}$1.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    ...timeLimits(3),
    maxWorkers: 2,
    isolate: false,
  },
});
