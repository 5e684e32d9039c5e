import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const contract = fileURLToPath(new URL('../contract/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Ends hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    maxWorkers: 1,
    isolate: false,
  },
});
