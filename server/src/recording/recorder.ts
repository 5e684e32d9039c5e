import { unavailable } from '../primitives/errors.ts';
import { endOfTick } from '../primitives/event-loop.ts';
import type { Database } from '../store/database.ts';
import {
  isCollision,
  isLockTimeout,
  isNeverSent,
  isOutage,
  isRolledBack,
  isTimeout,
} from '../store/database-errors.ts';

export interface RecorderOptions {
  queueLimit?: number;
  batchLimit?: number;
  /** Maximum size of a batch in characters. A single larger item is sent alone. */
  batchBytes?: number;
  /** Writes immediately once this many items are queued; otherwise at the end of the current tick. */
  startAt?: number;
  /** Milliseconds during which a batch is retried after its connection was lost; then its items are rejected. */
  retryForMs?: number;
  onBatch?: (size: number) => void;
}

/** How the items of a recorder are written. */
export interface Writing<Item, Result> {
  /**
   * Writes a batch in one round trip and returns results in the order of the items. `undefined` means: send that item again. If
   * `isRetry`, an earlier attempt may have been committed.
   */
  send(items: Item[], isRetry: boolean): Promise<(Result | undefined)[]>;
  /** Size of an item in characters. */
  weight(item: Item): number;
  /**
   * The parts in which a batch is sent again that the database rejected with this error, or that timed out. By default each item alone, but
   * not after a statement timeout.
   */
  split?(items: readonly Item[], error: unknown): Item[][];
  /** Called when an item is queued behind a write in flight. */
  onQueued?(item: Item): void;
}

interface Waiting<Item, Result> {
  item: Item;
  /** An earlier attempt may have committed: the connection was lost before the result arrived. */
  inDoubt?: boolean;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Writes each item exactly once. Items that arrive in the same tick, or while a write is in flight, share the next batch, so a single
 * item is never delayed and concurrent items share a commit.
 */
export class Recorder<Item, Result> {
  readonly #writes: Writing<Item, Result>;
  readonly #options: Required<Omit<RecorderOptions, 'onBatch'>>;
  readonly #onBatch: (size: number) => void;
  #queue: Waiting<Item, Result>[] = [];
  #starting: Promise<void> | undefined;
  #writing: Promise<void> | undefined;

  constructor(
    { engine }: Pick<Database, 'engine'>,
    writes: Writing<Item, Result>,
    options: RecorderOptions = {},
  ) {
    this.#writes = writes;
    this.#onBatch = options.onBatch ?? (() => undefined);
    this.#options = {
      queueLimit: options.queueLimit ?? 4_096,
      batchLimit: options.batchLimit ?? 256,
      // Large bodies are slow to insert. Small batches keep the wait of other requests short.
      batchBytes: options.batchBytes ?? 1024 * 1024,
      // PostgreSQL runs in parallel with the event loop, so start early; the embedded engine gains more from larger batches.
      startAt: options.startAt ?? (engine === 'postgres' ? 16 : Number.POSITIVE_INFINITY),
      retryForMs: options.retryForMs ?? 8_000,
    };
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** The items that no write contains yet. */
  queued(): Item[] {
    return this.#queue.map(({ item }) => item);
  }

  record(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length >= this.#options.queueLimit) throw unavailable();
      this.#queue.push({ item, resolve, reject });
      if (this.#writing === undefined) this.#start();
      else this.#writes.onQueued?.(item);
    });
  }

  /** Resolves a queued item without writing it. Does nothing if it is no longer queued: the batch that contains it resolves it. */
  withdraw(item: Item, result: Result): void {
    const index = this.#queue.findIndex((waiting) => waiting.item === item);
    if (index === -1) return;
    const [waiting] = this.#queue.splice(index, 1);
    waiting!.resolve(result);
  }

  /** Resolves when every submitted item has settled. */
  async drain(): Promise<void> {
    while ((this.#starting ?? this.#writing) !== undefined) await (this.#starting ?? this.#writing);
  }

  #start(): void {
    if (this.#queue.length >= this.#options.startAt) {
      this.#writing = this.#writeAll();
      return;
    }
    this.#starting ??= endOfTick().then(() => {
      this.#starting = undefined;
      // The queue may have reached `startAt` in this tick; then a write has already begun.
      if (this.#queue.length > 0) this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#nextBatch());
      this.#onBatch(batch.length);
      await this.#recordBatch(batch);
    }
    this.#writing = undefined;
  }

  /** How many queued items fit into the next batch, by count and by size. */
  #nextBatch(): number {
    const { batchLimit, batchBytes } = this.#options;
    let bytes = 0;
    for (const [i, { item }] of this.#queue.entries()) {
      bytes += this.#writes.weight(item);
      if (i === batchLimit || (i > 0 && bytes > batchBytes)) return i;
    }
    return this.#queue.length;
  }

  /** Parts of a batch that timed out are sent until `until`, because each of them can time out as well. */
  async #recordBatch(
    batch: Waiting<Item, Result>[],
    until = performance.now() + this.#options.retryForMs,
  ): Promise<void> {
    let rest = batch;
    try {
      while (rest.length > 0) {
        const recorded = await this.#send(rest);
        for (const [i, result] of recorded.entries()) if (result) rest[i]?.resolve(result);
        rest = rest.filter((_, i) => recorded[i] === undefined);
      }
    } catch (error) {
      const isUnavailable = isOutage(error) || isCollision(error);
      const refuse = ({ reject }: Waiting<Item, Result>) =>
        reject(isUnavailable || isLockTimeout(error) ? unavailable(error) : error);
      const parts = this.#split(rest, error);
      if (parts.length <= 1) return rest.forEach(refuse);
      for (const part of parts)
        if (isTimeout(error) && performance.now() > until) part.forEach(refuse);
        else await this.#recordBatch(part, until);
    }
  }

  /** Divides a batch that the database rejected, so that what it rejects does not fail the rest. */
  #split(batch: Waiting<Item, Result>[], error: unknown): Waiting<Item, Result>[][] {
    const isSplit = !isOutage(error) || (isTimeout(error) && this.#writes.split !== undefined);
    if (!isRolledBack(error) || isCollision(error) || !isSplit) return [];
    if (this.#writes.split === undefined) return batch.map((waiting) => [waiting]);
    const parts = this.#writes.split(
      batch.map(({ item }) => item),
      error,
    );
    const byItem = new Map(batch.map((waiting) => [waiting.item, waiting]));
    return parts.map((items) => items.map((item) => byItem.get(item)!));
  }

  /**
   * Sends a batch in one round trip. If the connection is lost, the batch may or may not have been committed. It is sent again with the
   * same ids, by which the SQL function recognises the rows of the earlier attempt.
   */
  async #send(batch: Waiting<Item, Result>[]): Promise<(Result | undefined)[]> {
    const items = batch.map(({ item }) => item);
    const deadline = performance.now() + this.#options.retryForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#writes.send(items, isInDoubt(batch));
      } catch (error) {
        if (isNeverSent(error)) this.#refuseQueue(error);
        if (!shouldRetry(error, batch) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 3)));
      }
    }
  }

  /** The database is unreachable: rejects queued items, which were certainly not committed. Only a batch already sent is retried. */
  #refuseQueue(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(unavailable(error));
  }
}

function isInDoubt(batch: readonly Waiting<unknown, never>[]): boolean {
  return batch.some((waiting) => waiting.inDoubt);
}

/** Whether to send the batch again: it may succeed, or reveal whether it was committed. Marks its items if that is unknown. */
function shouldRetry(error: unknown, batch: readonly Waiting<unknown, never>[]): boolean {
  if (isCollision(error)) return true;
  // A unique violation means that the earlier attempt was committed; a lock may be held by the earlier attempt.
  if (isInDoubt(batch)) return isOutage(error) || isUniqueViolation(error) || isLockTimeout(error);
  if (!isOutage(error) || isRolledBack(error) || isNeverSent(error)) return false;
  for (const waiting of batch) waiting.inDoubt = true;
  return true;
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}
