import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import {
  type WebhookLanguage,
  webhookCommands,
  webhookSnippets,
  webhookVariableSnippet,
} from '@session-launch/contract/snippets';
import { until } from '@session-launch/testing/fleet.ts';
import { freePort } from '@session-launch/testing/postgres-server.ts';
import { expect, onTestFinished } from 'vitest';
import { applicationOf } from './shown-code.ts';

/** A receiver of webhooks that runs the shown code with the shown command. */
export interface RunningReceiver {
  url: string;
  /** What it has printed. */
  output(): string;
}

/** Starts the receiver in a language on a free port, instead of port 3000. The test stops it. */
export async function startShownReceiver(
  language: WebhookLanguage,
  secret: string,
): Promise<RunningReceiver> {
  const port = await freePort();
  const command = webhookCommands[language];
  const program = webhookSnippets[language].replace(/\b3000\b/, String(port));
  expect(program).not.toBe(webhookSnippets[language]);
  const cwd = await applicationOf({
    [command.split(' ').at(-1)!]: program,
    '.env': webhookVariableSnippet(secret),
  });
  // In its own process group: the shell and `go run` start further processes.
  const child = spawn('sh', ['-c', command], { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      output[stream] += chunk.toString();
    });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    endGroup(child);
    await closed;
  });
  await until('the receiver', async () => {
    if (child.exitCode !== null) throw new Error(`the receiver ended: ${output.stderr}`);
    return isListening(port);
  });
  return { url: `http://127.0.0.1:${port}/`, output: () => output.stdout };
}

function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}
