import { defineConfig } from 'vitest/config';
import { inTier, passWithNoTests, timeLimits } from '../../testing/src/tiers.ts';

export default defineConfig({
  test: {
    ...inTier('sdk/react', ['test/**/*.test.ts']),
    ...timeLimits(),
    passWithNoTests,
  },
});
