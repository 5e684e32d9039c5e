import { unavailable } from '../primitives/errors.ts';
import { endOfTick } from '../primitives/event-loop.ts';
import { Batcher } from '../store/cache/batcher.ts';
import type { Database } from '../store/database.ts';
import { isCollision, isNeverSent, isOutage, isRolledBack } from '../store/database-errors.ts';
import {
  areHeld,
  areKnown,
  type Claim,
  encodeBatch,
  findLaunches,
  type MintToRecord,
  type Recorded,
  sendBatch,
} from './statement.ts';

export interface RecorderOptions {
  queueLimit?: number;
  batchLimit?: number;
  /** Maximum size of a batch in characters. A single larger mint is sent alone. */
  batchBytes?: number;
  /** Writes immediately once this many mints are queued; otherwise at the end of the current tick. */
  startAt?: number;
  /** Milliseconds that a mint with an idempotency key may be queued before its lock is probed for a holder in another process. */
  probeAfterMs?: number;
  /** Milliseconds during which a batch is retried after its connection was lost; then its mints are rejected. */
  retryForMs?: number;
  onBatch?: (size: number) => void;
}

interface Waiting {
  mint: MintToRecord;
  /** An earlier attempt may have committed: the connection was lost before the result arrived. */
  inDoubt?: boolean;
  resolve: (recorded: Recorded) => void;
  reject: (error: unknown) => void;
}

/**
 * Records each mint exactly once. Mints that arrive in the same tick, or while a write is in flight, share the next batch, so a single
 * mint is never delayed and concurrent mints share a commit. A claim is pending while its mint is in this recorder: within the process
 * by membership in `#pending`, across processes by an advisory lock that PostgreSQL releases with the transaction.
 */
export class Recorder {
  readonly #database: Database;
  readonly #options: Required<Omit<RecorderOptions, 'onBatch'>>;
  readonly #onBatch: (size: number) => void;
  readonly #pending = new Set<string>();
  readonly #known: Batcher<Claim, boolean>;
  readonly #launches: Batcher<MintToRecord, Recorded | undefined>;
  #queue: Waiting[] = [];
  #starting: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #probeTimer: NodeJS.Timeout | undefined;

  constructor(database: Database, options: RecorderOptions = {}) {
    this.#database = database;
    this.#onBatch = options.onBatch ?? (() => undefined);
    this.#known = new Batcher(256, (claims) => areKnown(database, claims));
    this.#launches = new Batcher(256, (mints) => findLaunches(database, mints));
    this.#options = {
      queueLimit: options.queueLimit ?? 4_096,
      batchLimit: options.batchLimit ?? 256,
      // Large bodies are slow to insert. Small batches keep the wait of other requests short.
      batchBytes: options.batchBytes ?? 1024 * 1024,
      // PostgreSQL runs in parallel with the event loop, so start early; the embedded engine gains more from larger batches.
      startAt: options.startAt ?? (database.engine === 'postgres' ? 16 : Number.POSITIVE_INFINITY),
      probeAfterMs: options.probeAfterMs ?? 100,
      retryForMs: options.retryForMs ?? 8_000,
    };
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  record(mint: MintToRecord): Promise<Recorded> {
    return mint.claim === undefined ? this.#enqueue(mint) : this.#claim(mint, mint.claim);
  }

  async #claim(mint: MintToRecord, { hash }: Claim): Promise<Recorded> {
    if (this.#pending.has(hash)) return this.#whilePending(mint);
    this.#pending.add(hash);
    try {
      return await this.#enqueue(mint);
    } finally {
      this.#pending.delete(hash);
    }
  }

  #enqueue(mint: MintToRecord): Promise<Recorded> {
    return new Promise((resolve, reject) => {
      if (this.#queue.length >= this.#options.queueLimit) throw unavailable();
      this.#queue.push({ mint, resolve, reject });
      if (this.#writing === undefined) this.#start();
      else if (mint.claim !== undefined) this.#scheduleProbe();
    });
  }

  /**
   * Another request with this claim is in flight in this process. If a launch already exists under the claim, returns that launch;
   * otherwise the first mint is still executing, and this returns `in_progress` without waiting for it, as it does if the database is
   * unavailable.
   */
  async #whilePending(mint: MintToRecord): Promise<Recorded> {
    try {
      if (!(await this.#known.submit(mint.claim!))) return { outcome: 'in_progress' };
      return (await this.#launches.submit(mint)) ?? { outcome: 'in_progress' };
    } catch (error) {
      if (isOutage(error)) return { outcome: 'in_progress' };
      throw error;
    }
  }

  /** Resolves when every submitted mint has settled. */
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

  /** How many queued mints fit into the next batch, by count and by size. */
  #nextBatch(): number {
    const { batchLimit, batchBytes } = this.#options;
    let bytes = 0;
    for (const [i, { mint }] of this.#queue.entries()) {
      bytes += weight(mint);
      if (i === batchLimit || (i > 0 && bytes > batchBytes)) return i;
    }
    return this.#queue.length;
  }

  async #recordBatch(batch: Waiting[]): Promise<void> {
    let rest = batch;
    try {
      while (rest.length > 0) {
        const recorded = await this.#send(rest);
        for (const [i, result] of recorded.entries()) if (result) rest[i]?.resolve(result);
        rest = rest.filter((_, i) => recorded[i] === undefined);
      }
    } catch (error) {
      const isUnavailable = isOutage(error) || isCollision(error);
      if (rest.length > 1 && isRolledBack(error) && !isUnavailable) await this.#recordOneByOne(rest);
      else for (const waiting of rest) waiting.reject(isUnavailable ? unavailable(error) : error);
    }
  }

  /** Retries a failed batch mint by mint, so that one that the database rejects does not fail the others. */
  async #recordOneByOne(batch: Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#recordBatch([waiting]);
  }

  /**
   * One round trip. If the connection is lost, the batch may or may not have been committed. It is sent again with the same session
   * ids, by which `record_launches` recognises rows that the earlier attempt committed.
   */
  async #send(batch: Waiting[]): Promise<(Recorded | undefined)[]> {
    const encoded = encodeBatch(batch.map(({ mint }) => mint));
    const deadline = performance.now() + this.#options.retryForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendBatch(this.#database, encoded, isInDoubt(batch));
      } catch (error) {
        if (isNeverSent(error)) this.#refuseQueue(error);
        if (!shouldRetry(error, batch) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 3)));
      }
    }
  }

  /** The database is unreachable: rejects queued mints, which were certainly not committed. Only a batch already sent is retried. */
  #refuseQueue(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(unavailable(error));
  }

  /**
   * A write may block on a row lock. A queued mint whose key is pending in another process must still get its 409 without that wait,
   * so the probe looks for the holder of the lock on a separate connection, without taking the lock.
   */
  #scheduleProbe(): void {
    if (this.#database.engine === 'embedded' || this.#probeTimer !== undefined) return;
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      void this.#probeQueue();
    }, this.#options.probeAfterMs);
  }

  async #probeQueue(): Promise<void> {
    const keyed = this.#queue.filter(({ mint }) => mint.claim !== undefined);
    if (keyed.length === 0) return;
    try {
      const held = await areHeld(
        this.#database,
        keyed.map(({ mint }) => mint.claim!),
      );
      for (const n of held) {
        const waiting = keyed[n]!;
        const index = this.#queue.indexOf(waiting);
        // No longer queued: the batch that contains it resolves it.
        if (index === -1) continue;
        this.#queue.splice(index, 1);
        waiting.resolve({ outcome: 'in_progress' });
      }
    } catch {
      // Probe again: otherwise these mints would wait for the blocked write and fail with it.
      if (this.#queue.some(({ mint }) => mint.claim !== undefined)) this.#scheduleProbe();
    }
  }
}

function weight({ session }: MintToRecord): number {
  if (session === undefined) return 0;
  let length = session.given.length;
  for (const cell of session.cells) if (typeof cell === 'string') length += cell.length;
  return length;
}

function isInDoubt(batch: Waiting[]): boolean {
  return batch.some((waiting) => waiting.inDoubt);
}

/** Whether to send the batch again: it may succeed, or reveal whether it was committed. Marks its mints if that is unknown. */
function shouldRetry(error: unknown, batch: Waiting[]): boolean {
  if (isCollision(error)) return true;
  // A unique violation means that the earlier attempt was committed.
  if (isInDoubt(batch)) return isOutage(error) || isUniqueViolation(error);
  if (!isOutage(error) || isRolledBack(error) || isNeverSent(error)) return false;
  for (const waiting of batch) waiting.inDoubt = true;
  return true;
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}
