import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Other workspaces as they are written, not as they were built last. */
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
    include: ['test/**/*.test.ts'],
    // Limits are for what hangs: a machine that is busy with other things is slow, and nothing is wrong.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
    isolate: false,
  },
});
