import { platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findChromium, tellOfNoChromium } from '../testing/src/chromium.ts';
import { findNginx, noNginx } from '../testing/src/find-nginx.ts';
import { isSkipped, packages } from '../testing/src/find-program.ts';

const isLong = process.env.TEST_LONG === '1';
const engines = ['embedded', 'postgres'] as const;
/**
 * Tests of rules that do not depend on the engine: checks that run before the database is used, headers, pages, and rules computed from
 * rows that other tests read on both engines. They run on PostgreSQL in the short run and on both engines in the long one.
 */
const onOneEngine = [
  'test/acceptance/cors.test.ts',
  'test/acceptance/hostile-origins.test.ts',
  'test/acceptance/http-behaviour.test.ts',
  'test/acceptance/locales.test.ts',
  'test/acceptance/manifest.test.ts',
  'test/acceptance/mint/400.test.ts',
  'test/acceptance/mint/403.test.ts',
  'test/acceptance/mint/413.test.ts',
  'test/acceptance/mint/415.test.ts',
  'test/acceptance/order-of-checks.test.ts',
  'test/acceptance/origin-check.test.ts',
  'test/acceptance/roles.test.ts',
  'test/acceptance/simulate.test.ts',
  'test/integration/assets.test.ts',
  'test/integration/large-file-reading.test.ts',
  'test/integration/limits.test.ts',
  'test/integration/metrics-token.test.ts',
  'test/integration/metrics.test.ts',
  'test/integration/oidc.test.ts',
  'test/integration/pages.test.ts',
  'test/integration/sdk.test.ts',
  'test/integration/sign-in.test.ts',
  'test/integration/tokens.test.ts',
];

/** Tests of the embedded engine, which start from a prepared database. */
const engineParts = [
  'test/unit/backup-requests.test.ts',
  'test/unit/embedded-folder.test.ts',
  'test/unit/maintenance.test.ts',
  'test/unit/pglite-client.test.ts',
];

/** With CI=true a missing browser fails the run; otherwise the browser tests are skipped with a message. */
const canBrowse = process.env.CI === 'true' || (await findChromium()) !== undefined;
if (!canBrowse) tellOfNoChromium();

/** The same for nginx on Linux; elsewhere its tests are always skipped. */
const hasNginx = findNginx() !== undefined || (process.env.CI === 'true' && platform() === 'linux');
if (!hasNginx) process.stderr.write(`skipped the test with nginx: ${noNginx}\n`);

for (const name of Object.keys(packages) as (keyof typeof packages)[]) {
  if (isSkipped(name))
    process.stderr.write(`skipped the tests with ${name}: install the package ${packages[name]} (Linux)\n`);
}

const build = '../testing/src/build-if-stale.ts';
/** Builds the program and creates both databases, once for all files. */
const databases = [build, 'test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'];
const aBrowser = 'test/harness/setup-browser.ts';

const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    exclude: hasNginx ? [] : ['test/browser/console-proxy.test.ts'],
    globalSetup: [build, 'test/harness/setup-embedded.ts', aBrowser],
  },
};

/** Only the acceptance tests, against a deployed service. */
const deployment: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'deployment',
    include: ['test/acceptance/**/*.test.ts'],
    globalSetup: ['test/harness/setup-deployment.ts'],
  },
};

/** Load tests with measurements: one at a time, on an otherwise idle machine. */
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
  // One project, because a worker reuses its loaded modules only for files of the same project.
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
      exclude: engine === 'embedded' && !isLong ? onOneEngine : [],
      globalSetup: [build, `test/harness/setup-${engine}.ts`, 'test/harness/setup-services.ts'],
    },
  })),
];

/**
 * Runs the tests of processes first: they often wait, which leaves CPU time for the tests of the other workspaces and for the checks of
 * `.ci/run`.
 */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWaiting = ({ project }: TestSpecification) => project.name === 'processes';
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}

/** Resolves other workspaces to their sources instead of their last build. */
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
    // These timeouts end hanging tests only; a busy machine can be slow without a defect.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 180_000 } },
    // More than the cores of a small machine: many tests wait for a timer or a process.
    maxWorkers: 4,
    // Files share only loaded modules; each has its own services, databases, folders and ports.
    isolate: false,
    sequence: { sequencer: WaitingFirst },
    // Worker threads of the service inherit this and run from the sources as well.
    execArgv: [
      '--conditions=source',
      '--import',
      new URL('test/harness/typescript-threads.mjs', import.meta.url).href,
    ],
    projects: process.env.ACCEPTANCE_URL ? [deployment] : projects,
  },
});
