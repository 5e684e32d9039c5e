import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Limits are for what hangs: a machine that is busy with other things is slow, and nothing is wrong.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
