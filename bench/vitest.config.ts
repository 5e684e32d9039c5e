import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { inTier, passWithNoTests, timeLimits } from '../testing/src/tiers.ts';

/** Tests use the sources of the other workspaces, not their build output. */
const contract = fileURLToPath(new URL('../contract/src/', import.meta.url));
const ofProcess = fileURLToPath(new URL('../process/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` },
      { find: /^@session-launch\/process\/(.*)$/, replacement: `${ofProcess}$1.ts` },
    ],
  },
  test: {
    ...inTier('bench', ['test/**/*.test.ts']),
    ...timeLimits(),
    passWithNoTests,
    maxWorkers: 1,
    isolate: false,
  },
});
