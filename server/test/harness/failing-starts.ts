import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { shortLived } from '@session-launch/testing/process.ts';
import { expect } from 'vitest';

const tries = fileURLToPath(new URL('./failing-starts.mjs', import.meta.url));

export interface FailedStart {
  code: number;
  /** The lines that were printed for the user, without log lines. */
  lines: string[];
}

/** Runs starts that are expected to fail in one process that loads the program once. A start that succeeds fails all pending ones. */
export class FailingStarts {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #failed: Promise<never>;
  #log = '';
  #count = 0;

  constructor() {
    const env = { PATH: process.env.PATH, NO_COLOR: '1' };
    this.#child = fork(tries, { env, execArgv: shortLived, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child.stderr?.on('data', (chunk) => {
      this.#log += chunk;
    });
    this.#exited = new Promise((resolve) => this.#child.once('close', resolve));
    this.#failed = new Promise((_, reject) => {
      this.#child.stdout?.once('data', () => reject(new Error('the service started')));
      void this.#exited.then(() => reject(new Error(`the process of the starts ended: ${this.#log}`)));
    });
    this.#failed.catch(() => undefined);
  }

  async start(env: Record<string, string>): Promise<FailedStart> {
    const id = this.#count++;
    const answered = new Promise<{ code: number; said: string }>((resolve) => {
      const hear = (answer: { id: number; code: number; said: string }) => {
        if (answer.id !== id) return;
        this.#child.off('message', hear);
        resolve(answer);
      };
      this.#child.on('message', hear);
    });
    // Starts in one process slow each other down, so the wait for the database is long.
    const defaults = { PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', DATABASE_WAIT_SECONDS: '600' };
    this.#child.send({ id, env: { ...defaults, ...env } });
    const { code, said } = await Promise.race([answered, this.#failed]);
    return { code, lines: said.trimEnd().split('\n') };
  }

  /** Kills the process and expects that its standard error contains only log lines. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
    const others = this.#log.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(others).toEqual([]);
  }
}
