import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** The database that the thread opens: a folder, a dump, or an empty database in memory. */
export interface ThreadData {
  /** The caller must have synced every file in it to disk. */
  folder?: string;
  /** Path of the reserve file beside the folder, deleted when the disk is full. */
  spareFile?: string;
  /** Does not sync: the caller syncs the folder after it has closed the database. */
  isUnsynced?: boolean;
  dump?: Uint8Array;
  engine: Engine;
}

/** A WebAssembly module; the type is not part of the loaded libraries. */
type Engine = object;

const { compile } = (
  globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> } }
).WebAssembly;

/**
 * V8's tier-up budget for WebAssembly: how much a function runs before it is optimised. This is the default of later V8 versions; the
 * lower default in Node 20 makes a start optimise many functions that are rarely called again.
 */
const tieringBudget = 13_000_000;

/** The module, compiled once per process. */
let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  return compile(await readFile(join(folder, 'pglite.wasm')));
}

export type Asked = { kind: 'query'; text: string; values: unknown[] } | { kind: 'dump' } | { kind: 'close' };

export type ThreadRequest = { id: number } & Asked;

export type ThreadAnswer = { id: number; result?: unknown; error?: { message: string } };

/** A response, or an unsolicited message: the engine has exited, the disk is full, or has space again. */
export type ThreadMessage = ThreadAnswer | { ended: string } | { full: boolean };

export interface ThreadHooks {
  onAnswer(answer: ThreadAnswer): void;
  onFull(isFull: boolean): void;
  /** Called once or more when the engine or its thread has ended. */
  onEnd(reason: string): void;
}

/** The worker thread in which PGlite runs. */
export class EngineThread {
  readonly #worker: Worker;
  readonly #exited: Promise<true>;

  private constructor(data: ThreadData, hooks: ThreadHooks) {
    this.#worker = new Worker(new URL('./pglite-thread.js', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    this.#worker.on('message', (message: ThreadMessage) => {
      if ('ended' in message) hooks.onEnd(message.ended);
      else if ('full' in message) hooks.onFull(message.full);
      else hooks.onAnswer(message);
    });
    this.#worker.on('error', (error) => hooks.onEnd(String(error.message)));
    this.#worker.on('messageerror', (error) => hooks.onEnd(String(error.message)));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        hooks.onEnd('it was closed');
        resolve(true);
      });
    });
  }

  /** Starts a thread. It answers the request with the id 0, which is never sent, when the database is open. */
  static async start(data: Omit<ThreadData, 'engine'>, hooks: ThreadHooks): Promise<EngineThread> {
    // After a failure, the next start tries again.
    engine ??= loadEngine().catch((error) => {
      engine = undefined;
      throw error;
    });
    return new EngineThread({ ...data, engine: await engine }, hooks);
  }

  post(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  /**
   * Terminates the thread and resolves when it has exited; every answer that it posted has been delivered then. Resolves with false after
   * this many milliseconds: a thread that is blocked in disk I/O cannot be interrupted.
   */
  async stop(ms: number): Promise<boolean> {
    void this.#worker.terminate();
    return this.exitWithin(ms);
  }

  async exitWithin(ms: number): Promise<boolean> {
    const waiting = new AbortController();
    const late = sleep(ms, false, { ref: false, signal: waiting.signal }).catch(() => false);
    return Promise.race([late, this.#exited]).finally(() => waiting.abort());
  }
}
