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

type Asked = { kind: 'query'; text: string; values: unknown[] } | { kind: 'dump' } | { kind: 'close' };

export type ThreadRequest = { id: number } & Asked;

type ThreadAnswer = { id: number; result?: unknown; error?: { message: string } };

/** A response, or an unsolicited message: the engine has exited, the disk is full, or has space again. */
export type ThreadMessage = ThreadAnswer | { ended: string } | { full: boolean };

export interface ClientHooks {
  /** Called if the engine exits or exceeds a deadline, after `open()` and before `close()`. */
  onEnd?(reason: string): void;
  /** Called when the disk becomes full (writes are rejected) and when it has space again. */
  onFull?(isFull: boolean): void;
}

/** Maximum milliseconds for one statement before the engine counts as hung. It runs one statement at a time. */
const deadlines = { query: 30_000, transaction: 120_000, long: 3_600_000 };

type Deadlines = typeof deadlines;

/** Milliseconds to wait after the deadline, because a busy event loop may not have processed the response yet. */
const overdueGraceMs = 1_000;

/** Milliseconds to wait for a terminated thread. A thread blocked in disk I/O cannot be interrupted. */
const threadEnd = 2_000;

/** Thrown if the thread of the engine cannot be terminated. */
export class StuckEngine extends Error {
  constructor() {
    super('the thread of the embedded engine does not stop');
    this.name = 'StuckEngine';
  }
}

interface QueryOptions {
  /** Uses the deadline of an hour: for migrations and maintenance, which may take long. */
  mayTakeLong?: boolean;
}

interface Results<Row> {
  rows: Row[];
}

interface Waiting {
  /** `undefined`: no deadline. */
  deadline?: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Client of the embedded engine. PGlite is synchronous, so it runs in a worker thread and does not block the event loop. There is one
 * connection: while a transaction is open, other statements are queued.
 */
export class PgliteClient {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #transaction: Promise<void> | undefined;
  readonly #hooks: ClientHooks;
  readonly #deadlines: Deadlines;
  /** Resolves when the thread has exited. The value `false` means "not late" in the race in `#afterEnd`. */
  readonly #exited: Promise<false>;
  #overdue: NodeJS.Timeout | undefined;
  #opened = false;
  #closing = false;
  #ended: string | undefined;

  private constructor(data: ThreadData, hooks: ClientHooks, own: Partial<Deadlines>) {
    this.#hooks = hooks;
    this.#deadlines = { ...deadlines, ...own };
    this.#thread = new Worker(new URL('./pglite-thread.js', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    this.#thread.on('message', (message: ThreadMessage) => this.#onMessage(message));
    this.#thread.on('error', (error) => this.#end(String(error.message)));
    this.#thread.on('messageerror', (error) => this.#end(String(error.message)));
    this.#exited = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        this.#end('it was closed');
        resolve(false);
      });
    });
  }

  static async open(
    data: Omit<ThreadData, 'engine'>,
    hooks: ClientHooks = {},
    own: Partial<Deadlines> = {},
  ): Promise<PgliteClient> {
    engine ??= loadEngine();
    const client = new PgliteClient({ ...data, engine: await engine }, hooks, own);
    // No deadline: crash recovery may take long.
    await new Promise<unknown>((resolve, reject) => client.#waiting.set(0, { resolve, reject }));
    client.#opened = true;
    return client;
  }

  get alive(): boolean {
    return this.#ended === undefined;
  }

  async query<Row>(
    text: string,
    values?: unknown[],
    { mayTakeLong }: QueryOptions = {},
  ): Promise<Results<Row>> {
    while (this.#transaction !== undefined) await this.#transaction;
    return this.#query(text, values, mayTakeLong ? 'long' : 'query');
  }

  async transaction<T>(work: (tx: Pick<PgliteClient, 'query'>) => Promise<T>): Promise<T> {
    while (this.#transaction !== undefined) await this.#transaction;
    let done = () => {};
    this.#transaction = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await this.#query('BEGIN');
      const result = await work({ query: (text, values) => this.#query(text, values) });
      await this.#query('COMMIT');
      return result;
    } catch (error) {
      await this.#query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      this.#transaction = undefined;
      done();
    }
  }

  /** Returns a dump of the whole database. */
  async dump(): Promise<Uint8Array> {
    return this.#ask({ kind: 'dump' }, 'long') as Promise<Uint8Array>;
  }

  /** Closes after the statements that were already sent. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#ended !== undefined) return this.#afterEnd();
    await this.#ask({ kind: 'close' }, 'long');
    await this.#thread.terminate();
  }

  async #afterEnd(): Promise<void> {
    const late = sleep(threadEnd, true, { ref: false });
    if (await Promise.race([late, this.#exited])) throw new StuckEngine();
  }

  #query<Row>(
    text: string,
    values: unknown[] = [],
    kind: keyof Deadlines = 'transaction',
  ): Promise<Results<Row>> {
    return this.#ask({ kind: 'query', text, values }, kind) as Promise<Results<Row>>;
  }

  #ask(asked: Asked, kind: keyof Deadlines): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(outage(this.#ended));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#thread.postMessage({ id, ...asked } satisfies ThreadRequest);
      this.#waiting.set(id, { resolve, reject, deadline: this.#deadlines[kind] });
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  #onMessage(message: ThreadMessage): void {
    if ('ended' in message) this.#end(message.ended);
    else if ('full' in message) this.#hooks.onFull?.(message.full);
    else this.#settle(message);
  }

  #settle({ id, result, error }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    this.#watch();
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(Object.assign(new Error(error.message), error));
  }

  /** Restarts the deadline timer for the statement being executed: the oldest pending one, because the thread runs them in order. */
  #watch(): void {
    clearTimeout(this.#overdue);
    const [first] = this.#waiting.values();
    if (first?.deadline === undefined) return;
    this.#overdue = setTimeout(() => {
      this.#overdue = setTimeout(() => this.#giveUp(), overdueGraceMs).unref();
    }, first.deadline).unref();
  }

  #giveUp(): void {
    this.#end('it did not respond in time');
    void this.#thread.terminate();
  }

  #end(reason: string): void {
    clearTimeout(this.#overdue);
    if (this.#opened && this.#ended === undefined && !this.#closing) this.#hooks.onEnd?.(reason);
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(outage(this.#ended));
    this.#waiting.clear();
  }
}

/**
 * Uses SQLSTATE 57P03 (cannot connect now), so that callers treat it as an outage and do not retry. This includes the statement in flight,
 * although it may have been executed.
 */
function outage(reason: string): Error {
  return Object.assign(new Error(`the embedded engine has ended: ${reason}`), { code: '57P03' });
}
