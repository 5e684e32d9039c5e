import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { inTier, passWithNoTests, timeLimits } from '../../testing/src/tiers.ts';
import { findWorkerd } from './test/find-workerd.ts';

/** Resolves the contract to its sources instead of its last build. */
const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url));

/** With CI=true a workerd that does not start fails the run; otherwise its test is skipped with a message. */
const hasWorkerd = process.env.CI === 'true' || findWorkerd() !== undefined;
if (!hasWorkerd) process.stderr.write('skipped the test in workerd, which does not start on this machine\n');

export default defineConfig({
  resolve: { alias: [{ find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` }] },
  test: {
    ...inTier('sdk/backend', ['test/**/*.test.ts'], hasWorkerd ? [] : ['test/workerd.test.ts']),
    // One service for all files; each file creates its own projects.
    globalSetup: ['test/setup-service.ts'],
    ...timeLimits(3),
    passWithNoTests,
    maxWorkers: 2,
    isolate: false,
  },
});
