import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Resolves other workspaces to their sources instead of their last build. */
const contract = fileURLToPath(new URL('../contract/src/', import.meta.url));
const ofProcess = fileURLToPath(new URL('../process/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` },
      { find: /^@session-launch\/process\/(.*)$/, replacement: `${ofProcess}$1.ts` },
    ],
  },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  test: {
    include: ['test/**/*.test.ts'],
    // These timeouts end hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    isolate: false,
  },
});
