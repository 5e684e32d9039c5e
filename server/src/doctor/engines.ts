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
  /** An engine on this machine instead of a service. */
  isLocal?: true;
  ms: number;
}

const { ok, warn, fail } = findingsOf('engines');

/** Runs the runtime with `--check`, in which it calls each remote engine once, and the included speech recognition. */
export async function checkEngines(env: Environment, cwd: string): Promise<Finding[]> {
  // The check does not call the service, so the token is not used.
  const report = await promisify(execFile)(process.execPath, [...runtimeProgram(), '--check'], {
    cwd,
    env: { ...env, RUNTIME_TOKEN: 'none-is-needed-here' },
  });
  const checks = JSON.parse(report.stdout) as EngineCheck[];
  if (checks.length === 0) return [ok('the runtime uses no external engine')];
  return checks.map((check) => (check.isLocal ? ofLocalHearing(check) : ofService(check)));
}

function ofService({ engine, variables = engine, problem, ms }: EngineCheck): Finding {
  if (problem === undefined) return ok(`${engine} answers (${ms} ms)`);
  return fail(
    `${engine} does not work: ${problem}`,
    `check ${variables}_URL, ${variables}_MODEL and ${variables}_API_KEY`,
  );
}

function ofLocalHearing({ problem, ms }: EngineCheck): Finding {
  if (problem === undefined) return ok(`English speech is understood on this machine (loaded in ${ms} ms)`);
  return warn(
    `English speech is not understood on this machine, and browsers recognise it instead: ${problem}`,
    'install the packages again (npm ci), or set HEARING=page',
  );
}
