import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findWorkerd } from './test/find-workerd.ts';

/** The contract as it is written, not as it was built last. */
const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url));

/** Where a complete run is asked for, a workerd that does not start is a failure; on a machine of one's own it is a remark. */
const hasWorkerd = process.env.CI === 'true' || findWorkerd() !== undefined;
if (!hasWorkerd) process.stderr.write('left out the test in workerd, which does not start here\n');

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: hasWorkerd ? [] : ['test/workerd.test.ts'],
    // One service for all files; each makes projects of its own in it.
    globalSetup: ['test/setup-service.ts'],
    // Limits are for what hangs: a machine that is busy with other things is slow, and nothing is wrong.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    isolate: false,
  },
});
