import { defineConfig } from 'vitest/config';

const engines = ['embedded', 'postgres'] as const;
/** They load the machine to its limit, or measure: one at a time, when everything else is done. */
const alone = ['changes', 'overload', 'rolling-restart', 'rude-crowd'].map(
  (name) => `test/faults/${name}.test.ts`,
);

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // What files share is loaded code; services, databases, folders and ports are their own.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts', 'test/cli/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'processes',
          include: ['test/processes/**/*.test.ts'],
          globalSetup: ['test/harness/setup-postgres.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          exclude: alone,
          globalSetup: ['test/harness/setup-postgres.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults-alone',
          include: alone,
          globalSetup: ['test/harness/setup-postgres.ts'],
          testTimeout: 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/harness/setup-embedded.ts', 'test/harness/setup-browser.ts'],
          testTimeout: 60_000,
        },
      },
      ...engines.map((engine) => ({
        extends: true as const,
        test: {
          name: engine,
          include: ['test/acceptance/**/*.test.ts'],
          globalSetup: [`test/harness/setup-${engine}.ts`],
        },
      })),
    ],
  },
});
