import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These timeouts end hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
