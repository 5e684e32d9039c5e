import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The contract as it is written, not as it was built last. */
const contract = fileURLToPath(new URL('../contract/src/', import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, maxWorkers: 1, isolate: false },
});
