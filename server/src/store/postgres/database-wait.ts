import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@session-launch/process/start-error';
import type { Logger } from 'pino';
import { isUnreachable, messageOf } from '../database-errors.ts';

/** Milliseconds between two attempts. */
const retryMs = 250;
/** Milliseconds between two log lines. */
const lineMs = 5_000;

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** Thrown when a signal stops the process during its start. */
export class StoppedDuringStart extends Error {}

export interface DatabaseWaitDeps {
  engine: 'embedded' | 'postgres';
  /** Maximum seconds for which a step is retried; 0 makes a single attempt. */
  seconds: number;
  log: Logger;
}

/**
 * Runs the steps of a start that need the database. With PostgreSQL a step is repeated while the server cannot be reached, and
 * SIGTERM or SIGINT ends the start, until `end` is called. The embedded engine gets a single attempt.
 */
export class DatabaseWait {
  readonly #deps: DatabaseWaitDeps;
  readonly #stopped: Promise<never>;
  #isStopped = false;
  #onSignal = () => {};

  constructor(deps: DatabaseWaitDeps) {
    this.#deps = deps;
    this.#stopped = new Promise((_, reject) => {
      this.#onSignal = () => {
        this.#isStopped = true;
        reject(new StoppedDuringStart());
      };
    });
    // If no step is running, the next one rejects.
    this.#stopped.catch(() => undefined);
    if (deps.engine === 'postgres') for (const signal of stopSignals) process.on(signal, this.#onSignal);
  }

  /** Rejects with the last error when the time is up, and immediately with an error that a retry cannot fix. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#deps.engine === 'embedded') return work();
    if (this.#isStopped) throw new StoppedDuringStart();
    return Promise.race([this.#repeat(work), this.#stopped]);
  }

  end(): void {
    for (const signal of stopSignals) process.off(signal, this.#onSignal);
  }

  async #repeat<T>(work: () => Promise<T>): Promise<T> {
    const { seconds, log } = this.#deps;
    const began = performance.now();
    let nextLineAt = began;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const now = performance.now();
        if (this.#isStopped || !isUnreachable(error)) throw error;
        if (now - began >= seconds * 1000) throw gaveUp(error);
        if (now >= nextLineAt) {
          nextLineAt = now + lineMs;
          log.warn(
            {
              reason: reasonOf(error),
              waitedSeconds: Math.round((now - began) / 1000),
              maxSeconds: seconds,
            },
            'waiting for the database',
          );
        }
        await sleep(retryMs);
      }
    }
  }
}

function reasonOf(error: unknown): string {
  return messageOf((error as Error).cause ?? error);
}

/** The error that ends the start, with a one-line message for the operator. */
function gaveUp(error: unknown): unknown {
  if (error instanceof StartError) return error;
  return new StartError(
    `the database of DATABASE_URL could not be reached: ${reasonOf(error)}; start again when it is reachable`,
    { cause: error },
  );
}
