import { syncTree } from '@session-launch/process/folders';
import { AdminQueue } from './admin-queue.ts';
import { type Asked, EngineThread, type ThreadAnswer, type ThreadData } from './engine-thread.ts';
import { outage } from './outage.ts';
import { startWorkTimer } from './work-timer.ts';

export interface ClientHooks {
  /** Called if the engine exits or cannot be restarted, after `open()` and before `close()`. */
  onEnd?(reason: string): void;
  /** Called when the disk becomes full (writes are rejected) and when it has space again. */
  onFull?(isFull: boolean): void;
  /** Called when a statement is overdue and the engine's thread is about to be restarted. */
  onOverdue?(statement: string): void;
  /** Called when the engine is running again, with the milliseconds since it stopped answering. */
  onRestarted?(ms: number): void;
}

/** Maximum milliseconds of each step; tests use others. */
const limits = {
  /** Execution of one statement: by workload, inside a transaction, and for migrations and maintenance. */
  query: 30_000,
  admin: 1_500,
  transaction: 30_000,
  long: 3_600_000,
  /** From the arrival of a statement of the admin API to its result or refusal. */
  adminAnswer: 2_000,
  /** The same on a machine that is too busy to execute it. */
  adminAnswerIfBusy: 10_000,
  /** How long a transaction waits for the other work of the admin API. */
  transactionWait: 10_000,
  /** How long statements wait for an engine that restarts. */
  held: 8_000,
  /** How long an overdue thread may take to exit, for example if a write to the disk blocks it. */
  stop: 15_000,
  /** How long the database may take to open again, including crash recovery. */
  reopen: 120_000,
};

export type ClientLimits = typeof limits;

/** Milliseconds to wait after the deadline, because a busy event loop may not have processed the response yet. */
const overdueGraceMs = 500;

/** Milliseconds to wait for the thread of an engine that has ended. */
const threadEnd = 2_000;

/** Maximum restarts in a row after which not one statement succeeded. */
const maxFruitlessRestarts = 3;

/** Thrown if the thread of the engine cannot be terminated. */
export class StuckEngine extends Error {
  constructor() {
    super('the thread of the embedded engine does not stop');
    this.name = 'StuckEngine';
  }
}

interface QueryOptions {
  /** Runs after the other work of the admin API, with short limits. */
  isAdmin?: boolean;
  /** Uses the deadline of an hour: for migrations and maintenance, which may take long. */
  mayTakeLong?: boolean;
}

interface Results<Row> {
  rows: Row[];
}

type Deadline = 'query' | 'admin' | 'transaction' | 'long';

interface OpenTransaction {
  /** True once it has ended, or was lost because the engine restarted. */
  isLost: boolean;
}

interface Pending {
  asked: Asked;
  /** Absent: no deadline. */
  deadline?: Deadline;
  transaction: OpenTransaction | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Client of the embedded engine. PGlite is synchronous, so it runs in a worker thread and does not block the event loop. There is one
 * connection: while a transaction is open, other statements are queued.
 *
 * PGlite cannot cancel a statement. If one is overdue, its thread is terminated and the folder is opened in another thread, which recovers
 * the database as after a crash.
 */
export class PgliteClient {
  readonly #data: Omit<ThreadData, 'engine'>;
  readonly #hooks: ClientHooks;
  readonly #limits: ClientLimits;
  readonly #adminQueue = new AdminQueue();
  #thread!: EngineThread;
  /** The last thread that was terminated because a statement was overdue. */
  #stopping: EngineThread | undefined;
  /** Statements that were posted to the thread, in order. */
  readonly #sent = new Map<number, Pending>();
  /** Statements that wait for the end of a transaction or of a restart. */
  #held: Pending[] = [];
  #lastId = 0;
  #transaction: OpenTransaction | undefined;
  /** Stops the timer of the statement being executed. */
  #stopTimer = () => {};
  #state: 'opening' | 'running' | 'restarting' | 'ended' = 'opening';
  /** True once statements no longer wait for the restart. */
  #isRefusing = false;
  #restarts = 0;
  #fruitlessRestarts = 0;
  #isClosing = false;
  /** Resolves when the last restart has succeeded or failed. */
  #restarting: Promise<void> | undefined;
  #endReason = '';

  private constructor(data: Omit<ThreadData, 'engine'>, hooks: ClientHooks, own: Partial<ClientLimits>) {
    this.#data = data;
    this.#hooks = hooks;
    this.#limits = { ...limits, ...own };
  }

  static async open(
    data: Omit<ThreadData, 'engine'>,
    hooks: ClientHooks = {},
    own: Partial<ClientLimits> = {},
  ): Promise<PgliteClient> {
    const client = new PgliteClient(data, hooks, own);
    // No deadline: crash recovery may take long.
    await client.#startThread();
    client.#state = 'running';
    return client;
  }

  /** False once the engine has ended. An engine that restarts is alive. */
  get alive(): boolean {
    return this.#state !== 'ended';
  }

  get isRestarting(): boolean {
    return this.#state === 'restarting';
  }

  /** How often the thread was restarted. */
  get restarts(): number {
    return this.#restarts;
  }

  query<Row>(
    text: string,
    values: unknown[] = [],
    { isAdmin, mayTakeLong }: QueryOptions = {},
  ): Promise<Results<Row>> {
    const asked: Asked = { kind: 'query', text, values };
    const send = (deadline: Deadline) => this.#ask(asked, deadline) as Promise<Results<Row>>;
    if (mayTakeLong) return this.#adminQueue.run(() => send('long'));
    return isAdmin ? this.#answeredInTime(() => send('admin')) : send('query');
  }

  transaction<T>(work: (tx: Pick<PgliteClient, 'query'>) => Promise<T>): Promise<T> {
    return this.#adminQueue.run(
      () => this.#transact(work),
      AbortSignal.timeout(this.#limits.transactionWait),
    );
  }

  /** Returns a dump of the whole database. */
  async dump(): Promise<Uint8Array> {
    return this.#ask({ kind: 'dump' }, 'long') as Promise<Uint8Array>;
  }

  /**
   * Closes after the statements that were already sent. No thread uses the folder afterwards: a restart in progress is given up unless it
   * completes while statements wait for it.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#state !== 'ended') await this.#ask({ kind: 'close' }, 'long').catch(() => undefined);
    this.#end('it was closed');
    await this.#restarting;
    if (!(await this.#thread.stop(threadEnd))) throw new StuckEngine();
  }

  /** Runs a statement of the admin API. The caller is refused in time even if the statement still runs. */
  #answeredInTime<T>(send: () => Promise<T>): Promise<T> {
    const { adminAnswer, adminAnswerIfBusy } = this.#limits;
    const refusal = new AbortController();
    return new Promise((resolve, reject) => {
      const stopTimer = startWorkTimer(adminAnswer, adminAnswerIfBusy, () => {
        refusal.abort();
        reject(overdue());
      });
      void this.#adminQueue.run(send, refusal.signal).then(resolve, reject).finally(stopTimer);
    });
  }

  async #transact<T>(work: (tx: Pick<PgliteClient, 'query'>) => Promise<T>): Promise<T> {
    const transaction = { isLost: false };
    const query = <Row>(text: string, values: unknown[] = []) =>
      this.#ask({ kind: 'query', text, values }, 'transaction', transaction) as Promise<Results<Row>>;
    // No other transaction is open: they use this queue, too.
    this.#transaction = transaction;
    try {
      await query('BEGIN');
      const result = await work({ query });
      await query('COMMIT');
      return result;
    } catch (error) {
      if (!transaction.isLost) await query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      transaction.isLost = true;
      this.#transaction = undefined;
      // Before the next statement of the admin API.
      this.#sendHeld();
    }
  }

  #ask(asked: Asked, deadline: Deadline, transaction?: OpenTransaction): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const pending: Pending = { asked, deadline, transaction, resolve, reject };
      if (this.#state === 'ended') reject(ended(this.#endReason));
      else if (transaction?.isLost) reject(lost());
      else if (this.#state === 'restarting' && this.#isRefusing) reject(restarting());
      else if (this.#state === 'restarting' || this.#transaction !== transaction) this.#held.push(pending);
      else this.#send(pending);
    });
  }

  #send(pending: Pending): void {
    const id = ++this.#lastId;
    this.#thread.post({ id, ...pending.asked });
    this.#sent.set(id, pending);
    if (this.#sent.size === 1) this.#watch();
  }

  #sendHeld(): void {
    if (this.#state !== 'running') return;
    const held = this.#held;
    this.#held = [];
    for (const pending of held) {
      if (this.#transaction === pending.transaction) this.#send(pending);
      else this.#held.push(pending);
    }
  }

  /** Resolves when the thread has opened the database. */
  async #startThread(): Promise<void> {
    const thread = await EngineThread.start(this.#data, {
      onAnswer: (answer) => this.#settle(answer),
      onFull: (isFull) => this.#hooks.onFull?.(isFull),
      onEnd: (reason) => {
        // The exit of an overdue thread is expected.
        if (this.#stopping !== thread) this.#end(reason);
      },
    });
    this.#thread = thread;
    // The client was closed while the thread was starting.
    if (!this.alive) return;
    await new Promise<unknown>((resolve, reject) => {
      this.#sent.set(0, { asked: { kind: 'close' }, transaction: undefined, resolve, reject });
    });
  }

  #settle({ id, result, error }: ThreadAnswer): void {
    const pending = this.#sent.get(id);
    this.#sent.delete(id);
    this.#watch();
    if (error !== undefined) pending?.reject(Object.assign(new Error(error.message), error));
    else {
      if (id !== 0) this.#fruitlessRestarts = 0;
      pending?.resolve(result);
    }
  }

  /** Restarts the deadline timer for the statement being executed: the oldest pending one, because the thread runs them in order. */
  #watch(): void {
    this.#stopTimer();
    if (this.#state === 'restarting') return;
    const [first] = this.#sent.values();
    if (first?.deadline === undefined) return;
    const ms = this.#limits[first.deadline];
    const onOverdue = () => {
      const timer = setTimeout(() => this.#giveUp(first), overdueGraceMs).unref();
      this.#stopTimer = () => clearTimeout(timer);
    };
    if (first.deadline === 'admin') {
      this.#stopTimer = startWorkTimer(ms, this.#limits.query, onOverdue);
    } else {
      const timer = setTimeout(onOverdue, ms).unref();
      this.#stopTimer = () => clearTimeout(timer);
    }
  }

  #giveUp({ asked }: Pending): void {
    const isFruitless = ++this.#fruitlessRestarts > maxFruitlessRestarts;
    if (this.#data.folder === undefined || this.#isClosing || isFruitless) {
      this.#end('it did not respond in time');
      void this.#thread.stop(threadEnd);
      return;
    }
    this.#hooks.onOverdue?.(asked.kind === 'query' ? asked.text : asked.kind);
    this.#restarting = this.#restart().catch((error) =>
      this.#end(`it could not be restarted: ${(error as Error).message}`),
    );
  }

  /**
   * Replaces the thread. The oldest statement that was sent may have been executed; the ones behind it have not been started, because the
   * thread posts the answer of a statement before it starts the next one, and those answers have been delivered when it has exited.
   */
  async #restart(): Promise<void> {
    const start = performance.now();
    this.#state = 'restarting';
    this.#isRefusing = false;
    const refusing = setTimeout(() => this.#refuseHeld(), this.#limits.held).unref();
    const reopening = setTimeout(
      () => this.#end('it was not restarted in time'),
      this.#limits.reopen,
    ).unref();
    try {
      this.#stopping = this.#thread;
      if (!(await this.#thread.stop(this.#limits.stop))) return this.#end('it did not respond in time');
      this.#recall();
      if (this.#isClosing) return this.#end('it was closed');
      // Files that the terminated thread left unsynced in the page cache.
      await syncTree(this.#data.folder!);
      if (this.#isClosing || !this.alive) return this.#end('it was closed');
      await this.#startThread();
    } finally {
      clearTimeout(refusing);
      clearTimeout(reopening);
    }
    if (!this.alive) return;
    this.#restarts++;
    this.#state = 'running';
    this.#hooks.onRestarted?.(Math.round(performance.now() - start));
    this.#sendHeld();
  }

  /** Takes back the statements that the terminated thread has not started, and rejects those that are lost. */
  #recall(): void {
    const [first, ...others] = this.#sent.values();
    this.#sent.clear();
    if (this.#transaction !== undefined) this.#transaction.isLost = true;
    const rest = [...others, ...this.#held];
    this.#held = [];
    first?.reject(lost());
    for (const pending of rest) {
      if (pending.transaction?.isLost) pending.reject(lost());
      else if (this.#isRefusing) pending.reject(restarting());
      else this.#held.push(pending);
    }
  }

  #refuseHeld(): void {
    this.#isRefusing = true;
    for (const { reject } of this.#held.splice(0)) reject(restarting());
  }

  #end(reason: string): void {
    this.#stopTimer();
    if (this.#state === 'ended') return;
    const wasOpen = this.#state !== 'opening';
    this.#state = 'ended';
    this.#endReason = reason;
    if (wasOpen && !this.#isClosing) this.#hooks.onEnd?.(reason);
    for (const { reject } of [...this.#sent.values(), ...this.#held.splice(0)]) reject(ended(reason));
    this.#sent.clear();
  }
}

/** Also for the statement in flight, although it may have been executed: callers must not retry it. */
function ended(reason: string): Error {
  return outage(`the embedded engine has ended: ${reason}`);
}

function restarting(): Error {
  return outage('the embedded engine is restarting');
}

/** SQLSTATE 08006 (connection failure): the statement may have been executed. The recorder sends its batch again. */
function lost(): Error {
  return Object.assign(new Error('the embedded engine was restarted during the statement'), {
    code: '08006',
  });
}

/** SQLSTATE 57014 (statement timeout): the caller no longer waits, and the statement may have been executed. */
function overdue(): Error {
  return Object.assign(new Error('the embedded engine did not answer in time'), { code: '57014' });
}
