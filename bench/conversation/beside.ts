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

/** A program beside the service that prints a line when it is ready and ends with its input. */
async function start(file: string, options: object): Promise<{ line: string; end(): Promise<void> }> {
  // The contract as it is written: what was built of it may be old, or not there.
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

/** People who talk until they are asked to leave; resolves when all of them do. */
export async function startCrowd(options: CrowdOptions): Promise<Crowd> {
  const { end } = await start('crowd.ts', options);
  return { leave: end };
}

/** Engines that answer at once. */
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

/** The process of the runtime beside a service. */
export async function runtimeOf(servicePid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'args=']);
  const found = new RegExp(`^\\s*(\\d+)\\s+${servicePid}\\s.*--child`, 'm').exec(stdout);
  if (found === null) throw new Error('the service has no runtime');
  return Number(found[1]);
}
