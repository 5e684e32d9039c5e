import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Resolves the contract to its sources instead of its last build. */
const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    // These timeouts end hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    maxWorkers: 2,
    // Files share only loaded modules.
    isolate: false,
  },
});
