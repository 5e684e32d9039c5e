import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { requirePostgres } from '@session-launch/testing/programs.ts';
import { measureAdmin } from './admin/measure.ts';
import { adminMarkdown, adminTargets } from './admin/report.ts';
import { otherBuild, sideBySide, sideBySideMarkdown, thisBuild, verdictOf } from './against.ts';
import { compare } from './comparison.ts';
import { connectsMarkdown, isFastEnough, measureConnects } from './connects.ts';
import { isReached } from './conversation/figure.ts';
import { measureConversations } from './conversation/measure.ts';
import { plotConversation } from './conversation/plot.ts';
import { conversationMarkdown } from './conversation/report.ts';
import { type Environment, withEnvironment } from './environment.ts';
import { lifecycleMarkdown, measureLifecycle } from './lifecycle.ts';
import { type BenchOptions, readOptions, UsageError, usage } from './options.ts';
import { plot } from './plot.ts';
import { markdown } from './report.ts';
import type { Pace } from './rounds.ts';
import { measureScale } from './scale/measure.ts';
import { scaleMarkdown, scaleTargets } from './scale/report.ts';
import { scaleSettings } from './scale/settings.ts';
import { measureStock } from './stock.ts';

const connections = 64;

async function main({ against, ...options }: BenchOptions, signal: AbortSignal): Promise<void> {
  // npm changes to the workspace folder: resolve the path against the folder in which npm was called.
  if (against !== undefined) return beside(resolve(process.env.INIT_CWD ?? '', against), options, signal);
  if (options.connects !== undefined)
    return connectBeside(resolve(process.env.INIT_CWD ?? '', options.connects), options, signal);
  if (options.conversation !== undefined) return talk({ ...options, ...options.conversation }, signal);
  const pace = { rounds: options.rounds, seconds: options.seconds, connections };
  if (options.admin) return readAll(pace, options.sessions, signal);
  if (options.scale) return scaleUp(pace, options, signal);
  if (options.stock) return onStock(pace, options.sessions, signal);
  if (options.lifecycle) return alive(pace, options.sessions, signal);
  const report = await withEnvironment(signal, (environment) => compare(environment, pace, options.sessions));
  process.stdout.write(`\n${markdown(report)}`);
  if (!options.write) return;
  await writeFile(new URL('results.md', import.meta.url), markdown(report));
  await writeFile(new URL('results.svg', import.meta.url), plot(report.results));
}

async function beside(folder: string, { rounds, seconds }: BenchOptions, signal: AbortSignal): Promise<void> {
  const pace = { rounds, seconds, connections };
  const [ours, other] = [await thisBuild(), await otherBuild(folder)];
  const pairs = await withEnvironment(signal, (environment) => sideBySide(environment, ours, other, pace));
  process.stdout.write(`\n${sideBySideMarkdown(ours, other, pace, pairs)}`);
  process.exitCode = pairs.every((pair) => verdictOf(pair) === 'yes') ? 0 : 1;
}

async function connectBeside(folder: string, extent: BenchOptions, signal: AbortSignal): Promise<void> {
  const builds = [await thisBuild(), await otherBuild(folder)];
  const sides = await withEnvironment(signal, (environment) => measureConnects(environment, builds, extent));
  process.stdout.write(`\n${connectsMarkdown(sides)}`);
  process.exitCode = isFastEnough(sides) ? 0 : 1;
}

async function alive(pace: Pace, sessions: number, signal: AbortSignal): Promise<void> {
  const targets = await withEnvironment(signal, (environment) =>
    measureLifecycle(environment, pace, sessions),
  );
  process.stdout.write(`\n${lifecycleMarkdown(targets, pace)}`);
  process.exitCode = targets.every(({ reached }) => reached) ? 0 : 1;
}

async function readAll(pace: Pace, sessions: number, signal: AbortSignal): Promise<void> {
  const work = (environment: Environment) => measureAdmin(environment, pace, sessions);
  const figures = await withEnvironment(signal, work, scaleSettings);
  process.stdout.write(`\n${adminMarkdown(figures, pace)}`);
  const missed = adminTargets(figures).filter(({ reached }) => !reached);
  for (const { name, wanted, measured } of missed)
    console.error(`missed: ${name}: ${measured}, wanted ${wanted}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}

async function onStock(pace: Pace, sessions: number, signal: AbortSignal): Promise<void> {
  const work = (environment: Environment) => measureStock(environment, pace.rounds, sessions);
  const targets = await withEnvironment(signal, work, { bin: requirePostgres() });
  process.stdout.write(`\n${lifecycleMarkdown(targets, pace)}`);
  process.exitCode = targets.every(({ reached }) => reached) ? 0 : 1;
}

async function scaleUp(pace: Pace, { sessions, write }: BenchOptions, signal: AbortSignal): Promise<void> {
  const work = (environment: Environment) => measureScale(environment, pace, sessions);
  const report = await withEnvironment(signal, work, { settings: scaleSettings });
  process.stdout.write(`\n${scaleMarkdown(report)}`);
  if (write) {
    await writeFile(new URL('scale.md', import.meta.url), scaleMarkdown(report));
    await writeFile(new URL('scale.json', import.meta.url), `${JSON.stringify(report.figures, null, 2)}\n`);
  }
  process.exitCode = scaleTargets(report).every(({ reached }) => reached) ? 0 : 1;
}

async function talk(
  { write, rounds, turns, seconds }: BenchOptions & { turns: number },
  signal: AbortSignal,
): Promise<void> {
  const extent = { rounds, turns, seconds };
  const figures = await withEnvironment(signal, (environment) => measureConversations(environment, extent));
  const report = { date: new Date().toISOString().slice(0, 10), extent, figures };
  process.stdout.write(`\n${conversationMarkdown(report)}`);
  if (write) {
    await writeFile(new URL('conversation.md', import.meta.url), conversationMarkdown(report));
    await writeFile(new URL('conversation.svg', import.meta.url), plotConversation(figures));
  }
  process.exitCode = figures.every((one) => isReached(one) !== false) ? 0 : 1;
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
try {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') console.log(usage);
  else await main(options, stop.signal);
} catch (error) {
  if (stop.signal.aborted) {
    console.error('bench: stopped');
    process.exitCode = 130;
  } else if (error instanceof UsageError) {
    console.error(`bench: ${error.message}\n\nSee npm run bench -- --help`);
    process.exitCode = 2;
  } else throw error;
}
