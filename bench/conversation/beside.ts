import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CrowdOptions } from './crowd.ts';

const tsx = createRequire(import.meta.url).resolve('tsx');
const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export interface Crowd {
  leave(): Promise<void>;
}

/** Starts a helper process that prints a line when it is ready and ends when its standard input closes. */
async function start(file: string, options: object): Promise<{ line: string; end(): Promise<void> }> {
  // Uses the contract's sources, because its build output may be stale or missing.
  const args = ['--conditions=source', '--import', tsx, here(file), JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(child.stdout, 'data').then(([chunk]) => String(chunk).trim()),
    exited.then(([code]) => {
      throw new Error(`${file} ended with ${code}`);
    }),
  ]);
  return {
    line,
    end: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/** Starts clients that talk until `leave` is called; resolves when all of them are talking. */
export async function startCrowd(options: CrowdOptions): Promise<Crowd> {
  const { end } = await start('crowd.ts', options);
  return { leave: end };
}

/** Starts mind and speech engines without latency. */
export async function startStubEngines(): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const { line, end } = await start('stub-engines.ts', {});
  const env = {
    MIND: 'openai',
    MIND_URL: line,
    MIND_MODEL: 'stub',
    SPEECH: 'openai',
    SPEECH_URL: line,
    SPEECH_MODEL: 'stub',
  };
  return { env, close: end };
}

/** Returns the process id of a service's runtime. */
export async function runtimeOf(servicePid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'args=']);
  const found = new RegExp(`^\\s*(\\d+)\\s+${servicePid}\\s.*--child`, 'm').exec(stdout);
  if (found === null) throw new Error('the service has no runtime');
  return Number(found[1]);
}
