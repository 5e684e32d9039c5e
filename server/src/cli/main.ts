import { writeSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { ConfigError, readClientConfig } from '../config/config.ts';
import { version } from '../config/version.ts';
import { addApply } from './apply.ts';
import { addAudit } from './audit.ts';
import { addBackup, addRestore } from './backup.ts';
import { addCheck } from './check.ts';
import { createAdminClient } from './client/admin-client.ts';
import type { Context } from './client/context.ts';
import { addConsole } from './console.ts';
import { addDoctor } from './doctor.ts';
import { addExperiences } from './experiences.ts';
import { addInit } from './init.ts';
import { addKeys } from './keys.ts';
import { addMigrate } from './migrate.ts';
import { addOperators } from './operators.ts';
import { addPlan } from './plan.ts';
import { addProjects } from './projects.ts';
import { addRuntime } from './runtime.ts';
import { addServe } from './serve.ts';
import { addSessions } from './sessions.ts';
import { addTalk } from './talk/talk.ts';
import { CliFailure, ExitWith, Interrupted } from './terminal/failure.ts';
import { type Io, printable, write } from './terminal/io.ts';
import { addTools } from './tools.ts';
import { addUsage } from './usage.ts';
import { variableLines } from './variable-lines.ts';
import { addWebhooks } from './webhooks.ts';

/** In the order of the help. */
const commands = [
  addServe,
  addRuntime,
  addConsole,
  addPlan,
  addApply,
  addExperiences,
  addKeys,
  addTools,
  addSessions,
  addWebhooks,
  addProjects,
  addUsage,
  addOperators,
  addAudit,
  addCheck,
  addTalk,
  addDoctor,
  addBackup,
  addRestore,
  addMigrate,
  addInit,
];

const examples = `
Examples:
  session-launch serve
  session-launch console
  session-launch plan project.yaml
  session-launch apply project.yaml
  session-launch keys create --project prj_demo --mode test --scope sessions:create
  session-launch sessions list --project prj_demo --limit 20
  session-launch check exp_harbor_guide --origin http://localhost:5173
  session-launch talk exp_harbor_guide --text "Hello, who are you?"
  session-launch init my-app --template express
  session-launch backup session-launch.backup

All commands except serve, runtime, migrate, backup and restore call the admin API of a running service at
ADMIN_URL; doctor also works without one. They send ADMIN_TOKEN, or the token from the token file in DATA_DIR.

Environment variables of the command line (for those of the service, see serve --help):
${variableLines('command line')}

Exit codes: 0 success, 1 failure, 2 wrong usage or configuration (plan: something would change), 130 ended by Ctrl-C.`;

/** Runs a command; `argv` are the arguments after the program name. Returns the exit code and never throws. */
export async function run(argv: string[], io: Io): Promise<number> {
  const program = createProgram({
    io,
    admin: () => createAdminClient(readClientConfig(io.env, io.cwd)),
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    const { lines, exitCode } = report(error, program, argv, io);
    if (lines.length > 0) await write(io.stderr, `${lines.join('\n')}\n`).catch(() => {});
    return exitCode;
  }
}

/** Entry point of the process, called by bin/session-launch.js. */
export async function main(): Promise<void> {
  // `write` passes write errors to the commands; an `error` event without a listener would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Emitted when the event loop is empty: the promise that is still awaited will never settle.
  process.once('beforeExit', reportHang);
  // Not process.exit, which would discard buffered output.
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  process.off('beforeExit', reportHang);
  // An open connection, such as an unanswered request, must not keep a finished command running.
  setTimeout(() => process.exit(), 1000).unref();
}

/** Node would exit with code 13 and no message. */
function reportHang(): void {
  writeSync(2, `${prefixed('the command hangs: it waits for an event that cannot occur; try again')}\n`);
  process.exit(1);
}

function createProgram(context: Context): Command {
  const program = new Command('session-launch')
    .description('Starts the session launch service, and administers a running one.')
    .version(version)
    .exitOverride()
    // `report` prints the errors of commander, too.
    .configureOutput({ writeOut: (text) => context.io.stdout.write(text), writeErr: () => {} })
    .addHelpText('after', examples);
  for (const add of commands) add(program, context);
  return program;
}

interface Report {
  lines: string[];
  exitCode: number;
}

function report(error: unknown, program: Command, argv: readonly string[], io: Io): Report {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? { lines: [], exitCode: 0 } : usage(error, program, argv);
  }
  if (error instanceof ConfigError) {
    const lines = error.problems.map(
      ({ variable, got, wants }) => `${variable} is ${got}; it must be ${wants}`,
    );
    return { lines: lines.map(prefixed), exitCode: 2 };
  }
  if (error instanceof Interrupted || error instanceof ExitWith)
    return { lines: [], exitCode: error.exitCode };
  if (error instanceof CliFailure) {
    return { lines: [prefixed(error.message), ...error.more], exitCode: error.exitCode };
  }
  const { name, message, stack, code, exitCode } = error as Error & { code?: unknown; exitCode?: unknown };
  // The reader closed the pipe, as `head` does.
  if (code === 'EPIPE') return { lines: [], exitCode: 0 };
  if (name === 'StartError') {
    return { lines: [prefixed(message)], exitCode: typeof exitCode === 'number' ? exitCode : 1 };
  }
  const lines = [prefixed(`unexpected failure: ${message} (LOG_LEVEL=debug shows where)`)];
  if (io.env.LOG_LEVEL === 'debug' || io.env.LOG_LEVEL === 'trace') lines.push(stack ?? '');
  return { lines, exitCode: 1 };
}

function usage(error: CommanderError, program: Command, argv: readonly string[]): Report {
  const path = [program];
  for (const word of argv) {
    const next = path.at(-1)!.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    path.push(next);
  }
  const help = `see ${path.map((command) => command.name()).join(' ')} --help`;
  const commands = path.at(-1)!.commands.map((command) => command.name());
  const message =
    error.code === 'commander.help'
      ? `name a command: ${commands.join(', ')}`
      : error.message.replace(/^error: /, '');
  return { lines: [prefixed(`${message}; ${help}`)], exitCode: 2 };
}

function prefixed(message: string): string {
  return `session-launch: ${printable(message.replace(/\s*\n\s*/g, ' '))}`;
}
