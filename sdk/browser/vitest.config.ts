import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { inTier, passWithNoTests, timeLimits } from '../../testing/src/tiers.ts';

/** Resolves the contract to its sources instead of its last build. */
const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: {
    ...inTier('sdk/browser', ['test/**/*.test.ts']),
    ...timeLimits(),
    passWithNoTests,
    maxWorkers: 2,
    // Files share only loaded modules.
    isolate: false,
  },
});
