import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { shortLived } from './process.ts';

/** Starts a server as a child process that prints its URL. The child is killed when the test ends. */
export async function startApplication(
  cwd: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ url: string; output(): string }> {
  const child = spawn(process.execPath, [...shortLived, ...args], {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    output += `${line}\n`;
  });
  await Promise.race([once(lines, 'line'), ended]);
  const url = /Open (\S+)\//.exec(output)?.[1];
  if (url === undefined) throw new Error(`the application did not start: ${output}`);
  return { url, output: () => output };
}
