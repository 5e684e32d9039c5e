/**
 * The tiers of tests. `npm test` sets `first`: what a person runs before a commit. `npm run test:all` sets `all`: every rule on both engines.
 * `rest` is what `all` has beyond `first`. A direct call of vitest runs `all`.
 */
const tier = process.env.TEST_TIER ?? 'all';

/** Why a file is left to `npm run test:all`. */
type Reason = 'needs a program' | 'kills processes or databases' | 'takes more than five seconds';

/** The files that `npm test` leaves out, by workspace. All other files belong to every tier. */
const later: Record<string, Record<Reason, string[]>> = {
  server: {
    'needs a program': [
      'test/browser/console-proxy.test.ts',
      'test/processes/languages.test.ts',
      'test/processes/monitoring.test.ts',
      'test/processes/nginx.test.ts',
      'test/processes/poolers.test.ts',
      'test/processes/postgres-backup.test.ts',
      'test/processes/proxies.test.ts',
      'test/processes/secrets.test.ts',
    ],
    'kills processes or databases': [
      'test/faults/backup-kills.test.ts',
      'test/faults/backup.test.ts',
      'test/faults/changes.test.ts',
      'test/faults/client-aborts.test.ts',
      'test/faults/client-disconnects.test.ts',
      'test/faults/connections.test.ts',
      'test/faults/connects.test.ts',
      'test/faults/crashes.test.ts',
      'test/faults/descriptor-limit.test.ts',
      'test/faults/embedded-disk.test.ts',
      'test/faults/engine-restarts.test.ts',
      'test/faults/failover.test.ts',
      'test/faults/full-disk.test.ts',
      'test/faults/hostile-visitor.test.ts',
      'test/faults/migration-kills.test.ts',
      'test/faults/outage.test.ts',
      'test/faults/overload.test.ts',
      'test/faults/power-loss.test.ts',
      'test/faults/query-pool.test.ts',
      'test/faults/rolling-restart.test.ts',
      'test/faults/silent-start.test.ts',
      'test/faults/slow-clients.test.ts',
      'test/faults/stop-with-talkers.test.ts',
      'test/faults/unknown-callers.test.ts',
      'test/faults/upgrades.test.ts',
      'test/faults/usage-after-kills.test.ts',
      'test/faults/webhook-receivers.test.ts',
      'test/faults/webhooks.test.ts',
      'test/unit/embedded.test.ts',
    ],
    'takes more than five seconds': [
      'test/browser/console-attacks.test.ts',
      'test/browser/console-budget.test.ts',
      'test/browser/console-dialogs.test.ts',
      'test/browser/console-focus.test.ts',
      'test/browser/console-keyboard.test.ts',
      'test/browser/console-outage.test.ts',
      'test/browser/console-parts.test.ts',
      'test/browser/console-pictures.test.ts',
      'test/browser/console-roles.test.ts',
      'test/browser/console-sign-in.test.ts',
      'test/browser/console-texts.test.ts',
      'test/browser/console-titles.test.ts',
      'test/browser/console-together.test.ts',
      'test/browser/console-webhooks.test.ts',
      'test/browser/creator.test.ts',
      'test/browser/doc-code.test.ts',
      'test/browser/editor-forms.test.ts',
      'test/browser/editor-preview.test.ts',
      'test/browser/editor-publish.test.ts',
      'test/browser/editor-tools.test.ts',
      'test/browser/editor-unsaved.test.ts',
      'test/browser/examples.test.ts',
      'test/browser/experiences-conflicts.test.ts',
      'test/browser/experiences.test.ts',
      'test/browser/faces.test.ts',
      'test/browser/foreign-references.test.ts',
      'test/browser/full-runtime.test.ts',
      'test/browser/hostile-runtime.test.ts',
      'test/browser/keyboard.test.ts',
      'test/browser/landing-talk.test.ts',
      'test/browser/livekit.test.ts',
      'test/browser/mint-from-pages.test.ts',
      'test/browser/opus.test.ts',
      'test/browser/pages.test.ts',
      'test/browser/picture-face.test.ts',
      'test/browser/preview.test.ts',
      'test/browser/relay-across-origins.test.ts',
      'test/browser/rtvi.test.ts',
      'test/browser/sdk-bad-days.test.ts',
      'test/browser/sdk-check.test.ts',
      'test/browser/sdk-picture.test.ts',
      'test/browser/sdk-react.test.ts',
      'test/browser/snippets.test.ts',
      'test/browser/spoken-turn.test.ts',
      'test/faults/bad-input.test.ts',
      'test/faults/malformed-bytes.test.ts',
      'test/integration/generated-admin-requests.test.ts',
      'test/integration/large-file-reading.test.ts',
      'test/integration/livekit.test.ts',
      'test/integration/tools.test.ts',
      'test/processes/booking.test.ts',
      'test/processes/clock-steps.test.ts',
      'test/processes/command-line.test.ts',
      'test/processes/commands.test.ts',
      'test/processes/database-settings.test.ts',
      'test/processes/database-wait.test.ts',
      'test/processes/documents.test.ts',
      'test/processes/event-streams.test.ts',
      'test/processes/exactly-once.test.ts',
      'test/processes/livekit-character.test.ts',
      'test/processes/log-trouble.test.ts',
      'test/processes/many-sessions.test.ts',
      'test/processes/migrate.test.ts',
      'test/processes/quickstart.test.ts',
      'test/processes/runtime-alone.test.ts',
      'test/processes/spoken-words.test.ts',
      'test/processes/start-and-stop.test.ts',
      'test/processes/webhook-tutorial.test.ts',
    ],
  },
  'sdk/browser': {
    'needs a program': [],
    'kills processes or databases': [],
    'takes more than five seconds': ['test/package.test.ts'],
  },
  'sdk/react': {
    'needs a program': [],
    'kills processes or databases': [],
    'takes more than five seconds': ['test/package.test.ts'],
  },
  'sdk/backend': {
    'needs a program': [],
    'kills processes or databases': ['test/exactly-once.test.ts'],
    'takes more than five seconds': ['test/init.test.ts', 'test/package.test.ts'],
  },
  runtime: {
    'needs a program': [],
    'kills processes or databases': [],
    'takes more than five seconds': [
      'test/hearing/local.test.ts',
      'test/hostile/matchers.test.ts',
      'test/realtime/realtime.test.ts',
      'test/sockets/blocked-event-loop.test.ts',
      'test/sockets/rtvi.test.ts',
      'test/speech/voices.test.ts',
    ],
  },
};

/** The files whose rules `npm test` checks on the embedded engine as well: those whose SQL or transactions the engines could treat differently. */
const onBothEngines = [
  'test/acceptance/idempotency.test.ts',
  'test/acceptance/lifecycle/**/*.test.ts',
  'test/acceptance/limits.test.ts',
  'test/acceptance/mint/launches.test.ts',
  'test/integration/constraints.test.ts',
  'test/integration/idempotency.test.ts',
  'test/integration/lifecycle.test.ts',
  'test/integration/readiness.test.ts',
  'test/integration/recorder.test.ts',
  'test/integration/retention.test.ts',
  'test/integration/silence.test.ts',
  'test/integration/statements.test.ts',
  'test/integration/tallies.test.ts',
  'test/integration/webhooks.test.ts',
];

/** Paths from the root of the repository of all files above. */
export function listedFiles(): string[] {
  const paths = Object.entries(later).flatMap(([workspace, reasons]) =>
    Object.values(reasons)
      .flat()
      .map((file) => `${workspace}/${file}`),
  );
  return [...paths, ...onBothEngines.map((file) => `server/${file}`)];
}

export const isFirstTier = tier === 'first';

interface Files {
  include: string[];
  exclude: string[];
}

/** The files of a vitest project in this tier. */
export function inTier(workspace: string, include: string[], exclude: string[] = []): Files {
  const left = Object.values(later[workspace] ?? {}).flat();
  if (tier === 'first') return { include, exclude: [...exclude, ...left] };
  if (tier !== 'rest') return { include, exclude };
  const folders = include.map((pattern) => pattern.replace(/\*.*$/, ''));
  const isIncluded = (file: string) => folders.some((folder) => file.startsWith(folder));
  return { include: left.filter(isIncluded), exclude };
}

/** The files that run on the embedded engine in this tier. */
export function onEmbedded(include: string[]): Files {
  if (tier === 'first') return { include: onBothEngines, exclude: [] };
  return { include, exclude: tier === 'rest' ? onBothEngines : [] };
}

/** Whether a workspace passes that has no file in this tier. */
export const passWithNoTests = tier === 'rest';

/** Multiplies time limits, which only hanging tests reach. Set TEST_TIMEOUT_FACTOR on a machine that is busy or slow. */
export const timeoutFactor = Number(process.env.TEST_TIMEOUT_FACTOR ?? 1);

export function timeLimits(patience = 1) {
  const factor = patience * timeoutFactor;
  return {
    testTimeout: 60_000 * factor,
    hookTimeout: 60_000 * factor,
    expect: { poll: { timeout: 20_000 * factor } },
  };
}
