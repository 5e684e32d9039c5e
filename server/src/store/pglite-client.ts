import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

/** What the thread opens: a folder, a dump of a database, or an empty one in memory. */
export interface ThreadData {
  /** All that is in it has been synced. */
  folder?: string;
  /** Beside the folder: room that is given up when the disk is full. */
  spareFile?: string;
  dump?: Uint8Array;
  engine: Engine;
}

/** A module of WebAssembly, which belongs to no types that are loaded here. */
type Engine = object;

const { compile } = (
  globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> } }
).WebAssembly;

/**
 * How much a function of the engine runs before it is compiled once more, to be fast. That is the number of later versions of V8; the
 * one in Node 20 does it so soon that a start compiles many functions which are hardly called again.
 */
const tieringBudget = 13_000_000;

/** Compiled, and made fast, once for a process, however often it opens the engine. */
let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  setFlagsFromString(`--wasm-tiering-budget=${tieringBudget}`);
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  return compile(await readFile(join(folder, 'pglite.wasm')));
}

type Asked =
  | { kind: 'query'; text: string; values: unknown[]; rowMode?: 'array' | 'object'; asWritten: boolean }
  | { kind: 'dump' }
  | { kind: 'close' };

export type ThreadRequest = { id: number } & Asked;

type ThreadAnswer = { id: number; result?: unknown; error?: { message: string } };

/** An answer, or what nobody asked for: the engine has ended, the disk is full or no longer so. */
export type ThreadMessage = ThreadAnswer | { ended: string } | { full: boolean };

export interface ClientHooks {
  /** The engine has ended without being closed. */
  onEnd?(reason: string): void;
  /** The disk is full, and nothing is recorded; or it no longer is. */
  onFull?(isFull: boolean): void;
}

/** How long one statement may take before the engine counts as hung. Nothing else is answered meanwhile. */
const deadlines = { query: 30_000, transaction: 120_000, patient: 3_600_000 };

type Deadlines = typeof deadlines;

/** Beyond its deadline: an event loop that was busy itself may not have heard the answer yet. */
const lastChance = 1_000;

/** How long a thread that was told to end may take. Longer: it waits for the disk, which nothing interrupts. */
const threadEnd = 2_000;

/** The engine has ended, but its thread cannot be. */
export class StuckEngine extends Error {
  constructor() {
    super('the thread of the embedded engine does not end');
    this.name = 'StuckEngine';
  }
}

interface QueryOptions {
  rowMode?: 'array' | 'object';
  /** It may take long, and everybody knows: a migration, or the engine's own upkeep. */
  patient?: boolean;
  /** Functions cannot be sent to the thread; it has those that the query builder uses. */
  parsers?: object;
}

interface Results<Row> {
  rows: Row[];
  affectedRows?: number;
}

interface Waiting {
  /** None: it may take as long as it takes. */
  deadline?: number;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

type Query = <Row>(text: string, values?: unknown[], options?: QueryOptions) => Promise<Results<Row>>;

/**
 * The embedded engine as the query builder knows it. PGlite works synchronously, so it has a thread of its own: a query
 * keeps nobody from being heard. There is one connection; while a transaction is open on it, everything else waits.
 */
export class PgliteClient {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #transaction: Promise<void> | undefined;
  readonly #hooks: ClientHooks;
  readonly #deadlines: Deadlines;
  /** With false, as opposed to a thread that is late. */
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
    this.#thread.on('message', (message: ThreadMessage) => this.#hear(message));
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
    // Recovery takes as long as it takes.
    await new Promise<unknown>((resolve, reject) => client.#waiting.set(0, { resolve, reject }));
    client.#opened = true;
    return client;
  }

  get alive(): boolean {
    return this.#ended === undefined;
  }

  readonly query: Query = async (text, values = [], options = {}) => {
    while (this.#transaction !== undefined) await this.#transaction;
    return this.#query(text, values, options, options.patient ? 'patient' : 'query');
  };

  async transaction<T>(work: (tx: { query: Query }) => Promise<T>): Promise<T> {
    while (this.#transaction !== undefined) await this.#transaction;
    let done = () => {};
    this.#transaction = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await this.#query('BEGIN');
      const result = await work({
        query: (text, values, options) => this.#query(text, values, options, 'transaction'),
      });
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

  /** The whole database as a file. */
  async dump(): Promise<Uint8Array> {
    return this.#ask({ kind: 'dump' }, 'patient') as Promise<Uint8Array>;
  }

  /** Statements that were sent before are answered first. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#ended !== undefined) return this.#afterEnd();
    await this.#ask({ kind: 'close' }, 'patient');
    await this.#thread.terminate();
  }

  async #afterEnd(): Promise<void> {
    const late = sleep(threadEnd, true, { ref: false });
    if (await Promise.race([late, this.#exited])) throw new StuckEngine();
  }

  #query<Row>(
    text: string,
    values: unknown[] = [],
    options: QueryOptions = {},
    kind: keyof Deadlines = 'transaction',
  ): Promise<Results<Row>> {
    const { rowMode, parsers } = options;
    const asked = { kind: 'query' as const, text, values, asWritten: parsers !== undefined };
    return this.#ask({ ...asked, ...(rowMode === undefined ? {} : { rowMode }) }, kind) as Promise<
      Results<Row>
    >;
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

  #hear(message: ThreadMessage): void {
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

  /** The thread works in order: the statement that has waited longest is the one under way. */
  #watch(): void {
    clearTimeout(this.#overdue);
    const [first] = this.#waiting.values();
    if (first?.deadline === undefined) return;
    this.#overdue = setTimeout(() => {
      this.#overdue = setTimeout(() => this.#giveUp(), lastChance).unref();
    }, first.deadline).unref();
  }

  #giveUp(): void {
    this.#end('it did not answer in time');
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
 * As if no connection could be had, also of a statement that was under way: nobody can find out any more in this process what
 * became of it, so there is nothing to wait for.
 */
function outage(reason: string): Error {
  return Object.assign(new Error(`the embedded engine has ended: ${reason}`), { code: '57P03' });
}
