import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ConfigError, type ConfigProblem, readClientConfig, readConfig } from '../config/config.ts';
import { examine } from '../doctor/examine.ts';
import { type Finding, findingsOf } from '../doctor/finding.ts';
import type { Context } from './client/context.ts';
import { checkService } from './doctor-service.ts';
import { CliFailure } from './terminal/failure.ts';
import { hasColours, type Io, printable, write, writeJson } from './terminal/io.ts';

const { fail } = findingsOf('configuration');

export function addDoctor(program: Command, { io }: Context): void {
  program
    .command('doctor')
    .description('check configuration, database, signing keys, clock, folders and engines, and suggest fixes')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      '\nRun it as the user of the service, with the same environment variables. Exit code 1: a check failed.',
    )
    .action(async (options: { json?: true }) => {
      const findings = await findingsFor(io);
      const failed = findings.filter(({ status }) => status === 'fail').length;
      if (options.json) await writeJson(io.stdout, { ok: failed === 0, findings });
      else await write(io.stdout, findings.map(lineFor(io)).join(''));
      if (failed > 0) {
        throw new CliFailure(
          `${failed === 1 ? 'one check' : `${failed} checks`} failed; see FAIL above for what to do`,
        );
      }
    });
}

async function findingsFor(io: Io): Promise<Finding[]> {
  const problems = new Map<string, ConfigProblem>();
  const config = attempt(() => readConfig(io.env, io.cwd), problems);
  const client = attempt(() => readClientConfig(io.env, io.cwd), problems);
  if (config === undefined || client === undefined) {
    return [...problems.values()].map(({ variable, got, wants }) =>
      fail(`${variable} is ${got}`, `it must be ${wants}`),
    );
  }
  const service = await checkService(client, config.database.engine);
  const own = await examine({ config, env: io.env, cwd: io.cwd, service });
  return [...own, ...(service.ofService ?? []), service.finding];
}

/** Collects problems instead of throwing, so that those of the service and of the command line are reported together. */
function attempt<T>(read: () => T, problems: Map<string, ConfigProblem>): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems)
      if (!problems.has(problem.variable)) problems.set(problem.variable, problem);
    return undefined;
  }
}

function lineFor(io: Io): (finding: Finding) => string {
  const paint = (colour: 'green' | 'yellow' | 'red', text: string) =>
    // `validateStream` would check `process.stdout` instead of `io.stdout`.
    hasColours(io) ? styleText(colour, text, { validateStream: false }) : text;
  const labels = { ok: paint('green', 'ok  '), warn: paint('yellow', 'warn'), fail: paint('red', 'FAIL') };
  return ({ check, status, message, todo }) => {
    const rest = todo === undefined ? '' : ` → ${todo}`;
    return `${labels[status]}  ${check}: ${printable(`${message}${rest}`)}\n`;
  };
}
