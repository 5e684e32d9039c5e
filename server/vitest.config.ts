import { platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { findChromium, warnNoChromium } from '../testing/src/chromium.ts';
import { findNginx, noNginx } from '../testing/src/find-nginx.ts';
import { findPostgres, noDebianPostgres } from '../testing/src/find-postgres.ts';
import { isSkipped, packages } from '../testing/src/find-program.ts';
import { inTier, isFirstTier, onEmbedded, timeLimits } from '../testing/src/tiers.ts';

const isLong = process.env.TEST_LONG === '1';
const engines = ['embedded', 'postgres'] as const;

/** Unit tests that start from a prepared database. */
const engineParts = ['test/unit/embedded.test.ts'];

/** With CI=true a missing browser fails the run; otherwise the browser tests are skipped with a message. */
const canBrowse = process.env.CI === 'true' || (await findChromium()) !== undefined;
if (!canBrowse) warnNoChromium();

/** The same for nginx on Linux; elsewhere its tests are always skipped. */
const hasNginx = findNginx() !== undefined || (process.env.CI === 'true' && platform() === 'linux');
if (!hasNginx) process.stderr.write(`skipped the test with nginx: ${noNginx}\n`);

for (const name of Object.keys(packages) as (keyof typeof packages)[]) {
  if (isSkipped(name))
    process.stderr.write(`skipped the tests with ${name}: install the package ${packages[name]} (Linux)\n`);
}

/** And for Debian's PostgreSQL. */
const hasDebian = findPostgres() !== undefined || (process.env.CI === 'true' && platform() === 'linux');
if (!hasDebian) process.stderr.write(`skipped the tests on Debian’s PostgreSQL: ${noDebianPostgres}\n`);

const build = '../testing/src/build-if-stale.ts';
/** Builds the program and creates both databases, once for all files. */
const databases = [build, 'test/harness/setup-embedded.ts', 'test/harness/setup-postgres.ts'];
const aBrowser = 'test/harness/setup-browser.ts';

const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'browser',
    ...inTier(
      'server',
      ['test/browser/**/*.test.ts'],
      hasNginx ? [] : ['test/browser/console-proxy.test.ts'],
    ),
    ...timeLimits(3),
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
    exclude: canBrowse ? [] : ['test/long/console-memory.test.ts', 'test/long/first-sound.test.ts'],
    ...timeLimits(10),
    globalSetup: [...databases, ...(canBrowse ? [aBrowser] : [])],
    fileParallelism: false,
    sequence: { groupOrder: 1 },
  },
};

const overHttpAndInside = ['test/acceptance/**/*.test.ts', 'test/integration/**/*.test.ts'];

/**
 * Tests on PostgreSQL as Debian builds it, with its default planner settings and just-in-time compilation: the plans of all statements, and
 * what the service does most often.
 */
const debian: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'debian',
    include: [
      'test/debian/**/*.test.ts',
      'test/acceptance/admin-sessions.test.ts',
      'test/acceptance/lifecycle/*.test.ts',
      'test/acceptance/mint/launches.test.ts',
      'test/acceptance/read-and-end.test.ts',
      'test/integration/idempotency.test.ts',
      'test/integration/lifecycle.test.ts',
      'test/integration/metering.test.ts',
      'test/integration/project-deletion.test.ts',
      'test/integration/recorder.test.ts',
      'test/integration/retention.test.ts',
      'test/integration/silence.test.ts',
      'test/integration/tallies.test.ts',
      'test/integration/usage.test.ts',
    ],
    ...timeLimits(3),
    globalSetup: [build, 'test/harness/setup-debian.ts', 'test/harness/setup-services.ts'],
  },
};

const projects: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: {
      name: 'unit',
      ...inTier('server', ['test/unit/**/*.test.ts', 'test/cli/**/*.test.ts'], engineParts),
    },
  },
  // One project, because a worker reuses its loaded modules only for files of the same project.
  {
    extends: true,
    test: {
      name: 'processes',
      ...inTier(
        'server',
        [...engineParts, 'test/processes/**/*.test.ts', 'test/faults/**/*.test.ts'],
        hasNginx ? [] : ['test/processes/nginx.test.ts'],
      ),
      ...timeLimits(3),
      globalSetup: databases,
    },
  },
  ...(canBrowse ? [browser] : []),
  ...(hasDebian && !isFirstTier ? [debian] : []),
  ...(isLong ? [long] : []),
  ...engines.map((engine) => ({
    extends: true as const,
    test: {
      name: engine,
      ...(engine === 'embedded' ? onEmbedded(overHttpAndInside) : inTier('server', overHttpAndInside)),
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
const engine = fileURLToPath(new URL('../engine/src/index.ts', import.meta.url));
const ofProcess = fileURLToPath(new URL('../process/src/', import.meta.url));
const backend = fileURLToPath(new URL('../sdk/backend/src/', import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@session-launch\/contract\/(.*)$/, replacement: `${contract}$1.ts` },
      { find: '@session-launch/engine', replacement: engine },
      { find: /^@session-launch\/process\/(.*)$/, replacement: `${ofProcess}$1.ts` },
      { find: /^@session-launch\/backend$/, replacement: `${backend}index.ts` },
      { find: '@session-launch/backend/verify', replacement: `${backend}verify.ts` },
    ],
  },
  test: {
    ...timeLimits(),
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
