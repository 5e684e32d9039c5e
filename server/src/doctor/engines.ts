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
  /** Languages by included or installed speech engine. Absent for external engines. */
  languages?: Record<string, string[]>;
}

const { ok, warn, fail } = findingsOf('engines');

const engines = ['MIND', 'SPEECH', 'HEARING'];

/** Runs the runtime with `--check`, in which it calls each remote engine and the included speech recognition once. */
export async function checkEngines(env: Environment, cwd: string): Promise<Finding[]> {
  const checks = await checksOfRuntime(env, cwd);
  if (checks instanceof Error)
    return [fail(`the runtime cannot check them: ${reasonOf(checks)}`, 'see the log of the service')];
  const findings = checks.map(findingOf);
  const isExternal = engines.some((name) => ['openai', 'realtime'].includes(env[name]?.trim() ?? ''));
  return isExternal ? findings : [ok('the runtime uses no external engine'), ...findings];
}

async function checksOfRuntime(env: Environment, cwd: string): Promise<EngineCheck[] | Error> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...runtimeProgram(), '--check'], {
      cwd,
      // The check does not call the service, so the token is not used.
      env: { ...env, RUNTIME_TOKEN: 'none-is-needed-here' },
    });
    return JSON.parse(stdout);
  } catch (error) {
    return error as Error;
  }
}

/** The last line that the runtime printed, or the message of the error. */
function reasonOf({ message, stderr = '' }: Error & { stderr?: string }): string {
  return stderr.trim().split('\n').at(-1) || message;
}

function findingOf(check: EngineCheck): Finding {
  if (check.languages !== undefined) return languagesSpoken(check.languages, check.problem);
  return check.isLocal ? ofLocalHearing(check) : ofService(check);
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

function languagesSpoken(languages: Record<string, string[]>, problem: string | undefined): Finding {
  if (problem !== undefined) return warn(problem, 'install espeak-ng, or correct ESPEAK, or set it to off');
  const spoken = Object.entries(languages).map(([name, tags]) => `${name} speaks ${tags.join(', ')}`);
  return ok(`${spoken.join('; ')}; other languages are left to the browser`);
}
