import { onTestFinished } from 'vitest';
import { printed, startNode } from './process.ts';

/** Starts a server as a child process that prints its URL. The child is killed when the test ends. */
export async function startApplication(
  cwd: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ url: string; output(): string }> {
  const started = startNode(args, { env: { PORT: '0', ...env }, cwd });
  const { child, output, closed } = started;
  onTestFinished(async () => {
    child.kill();
    await closed;
  });
  const [, url = ''] = await printed(started, /Open (\S+)\//);
  return { url, output: () => output.stdout + output.stderr };
}
