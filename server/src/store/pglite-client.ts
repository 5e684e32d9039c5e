import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What the thread opens: a folder, a dump of a database, or an empty one in memory. */
export interface ThreadData {
  folder?: string;
  dump?: Uint8Array;
  engine: Engine;
}

/** A module of WebAssembly, which belongs to no types that are loaded here. */
type Engine = object;

const { compile } = (
  globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> } }
).WebAssembly;

/** Compiled, and made fast, once for a process, however often it opens the engine. */
let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  return compile(await readFile(join(folder, 'pglite.wasm')));
}

type Asked =
  | { kind: 'query'; text: string; values: unknown[]; rowMode?: 'array' | 'object'; asWritten: boolean }
  | { kind: 'dump' }
  | { kind: 'close' };

export type ThreadRequest = { id: number } & Asked;

type ThreadAnswer = { id: number; result?: unknown; error?: { message: string } };

interface QueryOptions {
  rowMode?: 'array' | 'object';
  /** Functions cannot be sent to the thread; it has those that the query builder uses. */
  parsers?: object;
}

interface Results<Row> {
  rows: Row[];
  affectedRows?: number;
}

interface Waiting {
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
  readonly #onEnd: (reason: string) => void;
  #closing = false;
  #ended: string | undefined;

  private constructor(data: ThreadData, onEnd: (reason: string) => void) {
    this.#onEnd = onEnd;
    this.#thread = new Worker(new URL('./pglite-thread.js', import.meta.url), {
      workerData: data,
      execArgv: [],
    });
    this.#thread.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#thread.on('error', (error) => this.#end(String(error.message)));
    this.#thread.on('messageerror', (error) => this.#end(String(error.message)));
    this.#thread.on('exit', () => this.#end('it was closed'));
  }

  /** `onEnd` hears of an engine that ends without being closed. */
  static async open(
    data: Omit<ThreadData, 'engine'>,
    onEnd: (reason: string) => void = () => undefined,
  ): Promise<PgliteClient> {
    engine ??= loadEngine();
    const client = new PgliteClient({ ...data, engine: await engine }, onEnd);
    await new Promise<unknown>((resolve, reject) => client.#waiting.set(0, { resolve, reject }));
    return client;
  }

  readonly query: Query = async (text, values = [], options = {}) => {
    while (this.#transaction !== undefined) await this.#transaction;
    return this.#query(text, values, options);
  };

  async transaction<T>(work: (tx: { query: Query }) => Promise<T>): Promise<T> {
    while (this.#transaction !== undefined) await this.#transaction;
    let done = () => {};
    this.#transaction = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await this.#query('BEGIN');
      const result = await work({ query: (text, values, options) => this.#query(text, values, options) });
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
    return this.#ask({ kind: 'dump' }) as Promise<Uint8Array>;
  }

  /** Statements that were sent before are answered first. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#ended !== undefined) return;
    await this.#ask({ kind: 'close' });
    await this.#thread.terminate();
  }

  #query<Row>(text: string, values: unknown[] = [], options: QueryOptions = {}): Promise<Results<Row>> {
    const { rowMode, parsers } = options;
    return this.#ask({
      kind: 'query',
      text,
      values,
      ...(rowMode === undefined ? {} : { rowMode }),
      asWritten: parsers !== undefined,
    }) as Promise<Results<Row>>;
  }

  #ask(asked: Asked): Promise<unknown> {
    // Never sent, so that nobody has to find out what became of it.
    if (this.#ended !== undefined) return Promise.reject(outage(this.#ended, '57P03'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#thread.postMessage({ id, ...asked } satisfies ThreadRequest);
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #settle({ id, result, error }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(Object.assign(new Error(error.message), error));
  }

  #end(reason: string): void {
    if (this.#ended === undefined && !this.#closing) this.#onEnd(reason);
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(outage(this.#ended, '57P01'));
    this.#waiting.clear();
  }
}

/** As if a server had been shut down, under a statement or before it. */
function outage(reason: string, code: '57P01' | '57P03'): Error {
  return Object.assign(new Error(`the embedded engine has ended: ${reason}`), { code });
}
