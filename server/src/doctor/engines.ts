import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../config/config.ts';
import { runtimeProgram } from '../runtimes/program.ts';
import { type Finding, findingsOf } from './finding.ts';

/** The runtime's report about one engine. */
interface EngineCheck {
  engine: string;
  problem?: string;
  ms: number;
}

const { ok, fail } = findingsOf('engines');

/** Runs the runtime with `--check`, in which it calls each remote engine once. */
export async function checkEngines(env: Environment, cwd: string): Promise<Finding[]> {
  if (!['MIND', 'SPEECH', 'HEARING'].some((name) => env[name]?.trim() === 'openai'))
    return [ok('the runtime uses no external engine')];
  // The check does not call the service, so the token is not used.
  const report = await promisify(execFile)(process.execPath, [...runtimeProgram(), '--check'], {
    cwd,
    env: { ...env, RUNTIME_TOKEN: 'none-is-needed-here' },
  });
  return (JSON.parse(report.stdout) as EngineCheck[]).map(({ engine, problem, ms }) =>
    problem === undefined
      ? ok(`${engine} answers (${ms} ms)`)
      : fail(
          `${engine} does not work: ${problem}`,
          `check ${engine}_URL, ${engine}_MODEL and ${engine}_API_KEY`,
        ),
  );
}
