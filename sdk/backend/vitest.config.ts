import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findWorkerd } from './test/find-workerd.ts';

/** Resolves the contract to its sources instead of its last build. */
const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url));

/** With CI=true a workerd that does not start fails the run; otherwise its test is skipped with a message. */
const hasWorkerd = process.env.CI === 'true' || findWorkerd() !== undefined;
if (!hasWorkerd) process.stderr.write('skipped the test in workerd, which does not start on this machine\n');

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: hasWorkerd ? [] : ['test/workerd.test.ts'],
    // One service for all files; each file creates its own projects.
    globalSetup: ['test/setup-service.ts'],
    // These timeouts end hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    maxWorkers: 2,
    isolate: false,
  },
});
