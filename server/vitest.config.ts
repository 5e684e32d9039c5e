import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { findChromium, noChromium } from '../testing/src/chromium.ts';

const engines = ['embedded', 'postgres'] as const;
/** They load the machine to its limit, or measure: one at a time, when everything else is done. */
const alone = ['changes', 'overload', 'rolling-restart', 'rude-crowd'].map(
  (name) => `test/faults/${name}.test.ts`,
);

const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/harness/setup-embedded.ts', 'test/harness/setup-browser.ts'],
    testTimeout: 60_000,
  },
};
/** Where a complete run is asked for, a missing browser is a failure; on a machine of one's own it is a remark. */
const canBrowse = process.env.CI === 'true' || (await findChromium()) !== undefined;
if (!canBrowse) process.stderr.write(`left out the browser tests: ${noChromium}\n`);

/** The acceptance tests alone, at a service that runs elsewhere. */
const deployment: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'deployment',
    include: ['test/acceptance/**/*.test.ts'],
    globalSetup: ['test/harness/setup-deployment.ts'],
  },
};

const projects: TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts', 'test/cli/**/*.test.ts'] } },
  {
    extends: true,
    test: {
      name: 'processes',
      include: ['test/processes/**/*.test.ts'],
      globalSetup: ['test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'],
      testTimeout: 60_000,
    },
  },
  {
    extends: true,
    test: {
      name: 'faults',
      include: ['test/faults/**/*.test.ts'],
      exclude: alone,
      globalSetup: ['test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'],
      testTimeout: 60_000,
    },
  },
  {
    extends: true,
    test: {
      name: 'faults-alone',
      include: alone,
      globalSetup: ['test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'],
      testTimeout: 60_000,
      fileParallelism: false,
      sequence: { groupOrder: 1 },
    },
  },
  ...(canBrowse ? [browser] : []),
  ...engines.map((engine) => ({
    extends: true as const,
    test: {
      name: engine,
      include: ['test/acceptance/**/*.test.ts', 'test/integration/**/*.test.ts'],
      globalSetup: [`test/harness/setup-${engine}.ts`, 'test/harness/setup-services.ts'],
    },
  })),
];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // What files share is loaded code; services, databases, folders and ports are their own.
    isolate: false,
    projects: process.env.ACCEPTANCE_URL ? [deployment] : projects,
  },
});
