import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { findChromium, tellOfNoChromium } from '../testing/src/chromium.ts';
import { findNginx, noNginx } from '../testing/src/find-nginx.ts';

const isLong = process.env.TEST_LONG === '1';
const engines = ['embedded', 'postgres'] as const;
/** Rules that hold before a database is asked, whichever it is: once in the short form, on both engines in the long one. */
const beforeTheDatabase = [
  'test/acceptance/hostile-origins.test.ts',
  'test/acceptance/http-manners.test.ts',
  'test/acceptance/mint/400.test.ts',
  'test/acceptance/mint/413.test.ts',
  'test/acceptance/mint/415.test.ts',
  'test/acceptance/order-of-checks.test.ts',
  'test/integration/assets.test.ts',
  'test/integration/large-file-reading.test.ts',
];

/** Parts of the embedded engine, which start from a database that is made already. */
const engineParts = [
  'test/unit/embedded-folder.test.ts',
  'test/unit/maintenance.test.ts',
  'test/unit/pglite-client.test.ts',
];

/** Where a complete run is asked for, a missing browser is a failure; on a machine of one's own it is a remark. */
const canBrowse = process.env.CI === 'true' || (await findChromium()) !== undefined;
if (!canBrowse) tellOfNoChromium();

/** The same for nginx. */
const hasNginx = process.env.CI === 'true' || findNginx() !== undefined;
if (!hasNginx) process.stderr.write(`left out the test with nginx: ${noNginx}\n`);

const build = '../testing/src/build-if-stale.ts';
/** The program built and both databases made, once for all files. */
const databases = [build, 'test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'];
const aBrowser = 'test/harness/setup-browser.ts';

const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    globalSetup: [build, 'test/harness/setup-embedded.ts', aBrowser],
  },
};

/** The acceptance tests alone, at a service that runs elsewhere. */
const deployment: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'deployment',
    include: ['test/acceptance/**/*.test.ts'],
    globalSetup: ['test/harness/setup-deployment.ts'],
  },
};

/** Load tests that measure: one at a time, on a machine that has nothing else to do. */
const long: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'long',
    include: ['test/long/**/*.test.ts'],
    exclude: canBrowse ? [] : ['test/long/first-sound.test.ts'],
    globalSetup: [...databases, ...(canBrowse ? [aBrowser] : [])],
    fileParallelism: false,
    sequence: { groupOrder: 1 },
  },
};

const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'unit',
      include: ['test/unit/**/*.test.ts', 'test/cli/**/*.test.ts'],
      exclude: engineParts,
    },
  },
  // One project, since a worker that has loaded the code goes on with files of its own project only.
  {
    extends: true,
    test: {
      name: 'processes',
      include: [...engineParts, 'test/processes/**/*.test.ts', 'test/faults/**/*.test.ts'],
      exclude: hasNginx ? [] : ['test/processes/nginx.test.ts'],
      globalSetup: databases,
    },
  },
  ...(canBrowse ? [browser] : []),
  ...(isLong ? [long] : []),
  ...engines.map((engine) => ({
    extends: true as const,
    test: {
      name: engine,
      include: ['test/acceptance/**/*.test.ts', 'test/integration/**/*.test.ts'],
      exclude: engine === 'embedded' && !isLong ? beforeTheDatabase : [],
      globalSetup: [build, `test/harness/setup-${engine}.ts`, 'test/harness/setup-services.ts'],
    },
  })),
];

/** Other workspaces from their sources instead of their last build. */
const contract = fileURLToPath(new URL('../contract/src/', import.meta.url));
const ofProcess = fileURLToPath(new URL('../process/src/', import.meta.url));
const backend = fileURLToPath(new URL('../sdk/backend/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` },
      { find: /^@session-launch\/process\/(.*)$/, replacement: `${ofProcess}$1.ts` },
      { find: /^@session-launch\/backend$/, replacement: `${backend}index.ts` },
      { find: '@session-launch/backend/verify', replacement: `${backend}verify.ts` },
    ],
  },
  test: {
    // Limits are for what hangs: a machine that is busy with other things is slow, and nothing is wrong.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // More than cores of a small machine: tests that wait for a clock or a process leave theirs to others.
    maxWorkers: 4,
    // What files share is loaded code; services, databases, folders and ports are their own.
    isolate: false,
    // Threads that the service starts inherit it, and so run from the sources, too.
    execArgv: [
      '--conditions=source',
      '--import',
      new URL('test/harness/typescript-threads.mjs', import.meta.url).href,
    ],
    projects: process.env.ACCEPTANCE_URL ? [deployment] : projects,
  },
});
