import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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
    include: ['test/**/*.test.ts'],
    // Long timeouts, which only hanging tests reach: tests on a busy machine are slow.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 1,
    isolate: false,
  },
});
