import { setFlagsFromString } from 'node:v8';
import { checkEngines } from './check.ts';
import { systemClock } from './clock.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openEngines } from './engines.ts';
import { createLog } from './observe/log.ts';
import { startRuntime } from './runtime.ts';
import { openServiceChannel, type ServiceChannel } from './service-channel.ts';
import { listenStandalone } from './standalone.ts';

/** Entry point of the runtime process: as a child of a service that passes sockets to it, or standalone on its own port. */
async function main(): Promise<void> {
  const config = readConfig(process.env, process.cwd());
  if (process.argv.includes('--check')) {
    process.stdout.write(`${JSON.stringify(await checkEngines(config))}\n`);
    return;
  }
  // How far the heap may grow past the live set before V8 collects, in percent. The default is several times the live set.
  setFlagsFromString('--heap-growing-percent=40');
  if (process.argv.includes('--child')) await runAsChild(config, openServiceChannel());
  else await runStandalone(config);
}

/** Serves sockets passed by the parent service process. */
async function runAsChild(config: Config, service: ServiceChannel): Promise<void> {
  const stopped = service.stop.then(() => undefined);
  if ((await Promise.race([service.begun.then(() => 'begun'), stopped])) === undefined) return;
  const started = await Promise.race([start(config), stopped]);
  // A stop while engines open: no conversation exists yet.
  if (started === undefined) return;
  service.serve(started.runtime);
  await stopped;
  await started.runtime.drain(config.shutdownGraceSeconds);
  await started.engines.close();
}

/** Listens on its own port until SIGTERM or SIGINT. */
async function runStandalone(config: Config): Promise<void> {
  const { runtime, engines, log } = await start(config);
  let isReady = true;
  const listener = await listenStandalone(config, runtime, () => isReady);
  process.stdout.write(
    `\n  Runtime is listening\n\n  Address   ${listener.url}\n  Service   ${config.adminUrl}\n\n`,
  );
  await new Promise<void>((resolve) => {
    // Also handles a repeated signal, which would otherwise end the process at once: a terminal or a supervisor may signal the whole process
    // group, and `session-launch runtime` passes its own signal on.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  });
  isReady = false;
  log.info('stopping');
  await runtime.drain(config.shutdownGraceSeconds);
  await listener.close();
  await engines.close();
}

async function start(config: Config) {
  const [log, engines] = await Promise.all([createLog(config.logLevel), openEngines(config)]);
  for (const problem of engines.problems) log.warn(problem);
  return { log, engines, runtime: startRuntime({ config, engines, clock: systemClock, log }) };
}

try {
  await main();
  process.exit(0);
} catch (error) {
  const lines = error instanceof ConfigError ? error.problems : [(error as Error).message];
  for (const line of lines) process.stderr.write(`session-launch runtime: ${line}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
}
