import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../config/config.ts';
import { runtimeProgram } from '../runtimes/program.ts';
import { type Finding, findingsOf } from './finding.ts';

/** The runtime's report about one engine. */
interface EngineCheck {
  engine: string;
  /** Prefix of the variables that configure the engine. Absent: its name. */
  variables?: string;
  problem?: string;
  ms: number;
}

const { ok, fail } = findingsOf('engines');

const engines = ['MIND', 'SPEECH', 'HEARING'];

/** Runs the runtime with `--check`, in which it calls each remote engine once. */
export async function checkEngines(env: Environment, cwd: string): Promise<Finding[]> {
  if (!engines.some((name) => ['openai', 'realtime'].includes(env[name]?.trim() ?? '')))
    return [ok('the runtime uses no external engine')];
  // The check does not call the service, so the token is not used.
  const report = await promisify(execFile)(process.execPath, [...runtimeProgram(), '--check'], {
    cwd,
    env: { ...env, RUNTIME_TOKEN: 'none-is-needed-here' },
  });
  return (JSON.parse(report.stdout) as EngineCheck[]).map(({ engine, variables = engine, problem, ms }) =>
    problem === undefined
      ? ok(`${engine} answers (${ms} ms)`)
      : fail(
          `${engine} does not work: ${problem}`,
          `check ${variables}_URL, ${variables}_MODEL and ${variables}_API_KEY`,
        ),
  );
}
