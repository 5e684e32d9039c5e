import { unavailable } from '../errors.ts';
import { Batcher } from '../store/batcher.ts';
import type { Database } from '../store/database.ts';
import { isCollision, isNeverSent, isOutage, isRolledBack } from '../store/database-errors.ts';
import { endOfTurn } from '../turn.ts';
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
  /** What a batch may weigh, unless a single mint weighs more. */
  batchBytes?: number;
  /** So many mints are written at once; fewer wait until the event loop has heard all that has arrived by now. */
  startAt?: number;
  /** How long a keyed mint may wait in the queue before other processes are asked about its key. */
  probeAfterMs?: number;
  /** How long a batch whose connection was lost is tried again before its mints are refused. */
  retryForMs?: number;
  onBatch?: (size: number) => void;
}

interface Waiting {
  mint: MintToRecord;
  /** An earlier attempt may have recorded it: the connection was lost before its answer came. */
  inDoubt?: boolean;
  resolve: (recorded: Recorded) => void;
  reject: (error: unknown) => void;
}

/**
 * Records mints, each exactly once. What arrives in one turn of the event loop, or while a write is under way, goes
 * out together in the next one, so a lone mint is never delayed and a crowd shares its commits. A claim is pending while its mint is in here:
 * in this process that is the set below, across processes a lock that the database drops with the transaction.
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
      // Large bodies take the database long; a write of a moment keeps everybody else's short.
      batchBytes: options.batchBytes ?? 1024 * 1024,
      // PostgreSQL works while further requests are read; the embedded engine gains more from larger writes.
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
    if (this.#pending.has(hash)) return this.#besidePending(mint);
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
   * Another request with this claim is under way in this process. When it is a replay, too, the launch exists and
   * answers both; when it is the first mint, this one gets `in_progress`, at once and without waiting for it. So it does
   * when the database cannot be asked: that the key is pending is known without it.
   */
  async #besidePending(mint: MintToRecord): Promise<Recorded> {
    try {
      if (!(await this.#known.submit(mint.claim!))) return { outcome: 'in_progress' };
      return (await this.#launches.submit(mint)) ?? { outcome: 'in_progress' };
    } catch (error) {
      if (isOutage(error)) return { outcome: 'in_progress' };
      throw error;
    }
  }

  /** Resolves when everything that was handed in is answered. */
  async drain(): Promise<void> {
    while ((this.#starting ?? this.#writing) !== undefined) await (this.#starting ?? this.#writing);
  }

  #start(): void {
    if (this.#queue.length >= this.#options.startAt) {
      this.#writing = this.#writeAll();
      return;
    }
    this.#starting ??= endOfTurn().then(() => {
      this.#starting = undefined;
      // A crowd that was large enough has been written meanwhile, or is being written.
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

  /** How many of the queue go out together: bounded in number and in weight. */
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
      const away = isOutage(error) || isCollision(error);
      if (rest.length > 1 && isRolledBack(error) && !away) await this.#recordOneByOne(rest);
      else for (const waiting of rest) waiting.reject(away ? unavailable(error) : error);
    }
  }

  /** One mint that the database cannot take must not fail its neighbours. */
  async #recordOneByOne(batch: Waiting[]): Promise<void> {
    for (const waiting of batch) await this.#recordBatch([waiting]);
  }

  /**
   * One round trip. When the connection is lost under way, nobody knows whether the batch was committed: it is
   * sent again with the same session ids, and the function then knows its own earlier work.
   */
  async #send(batch: Waiting[]): Promise<(Recorded | undefined)[]> {
    const encoded = encodeBatch(batch.map(({ mint }) => mint));
    const deadline = performance.now() + this.#options.retryForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendBatch(this.#database, encoded, isInDoubt(batch));
      } catch (error) {
        if (isNeverSent(error)) this.#refuseQueue(error);
        if (!isWorthRepeating(error, batch) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** Math.min(attempt, 3)));
      }
    }
  }

  /** The database is away. What has not been sent can be refused for certain; only the batch in doubt has to wait. */
  #refuseQueue(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(unavailable(error));
  }

  /**
   * While a write is stuck behind somebody's lock, a mint whose key is pending in another process must still be
   * told so at once. The probe asks on a connection of its own and takes no lock itself.
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
        const place = this.#queue.indexOf(waiting);
        // Out of the queue meanwhile: its own write answers it.
        if (place === -1) continue;
        this.#queue.splice(place, 1);
        waiting.resolve({ outcome: 'in_progress' });
      }
    } catch {
      // Without an answer these mints would wait for the write that is stuck, and share its fate.
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

/** Whether sending the batch again may go better, or tell what became of it. Remembers when that is in doubt. */
function isWorthRepeating(error: unknown, batch: Waiting[]): boolean {
  if (isCollision(error)) return true;
  // A unique violation is the earlier attempt, committed after all.
  if (isInDoubt(batch)) return isOutage(error) || isUniqueViolation(error);
  if (!isOutage(error) || isRolledBack(error) || isNeverSent(error)) return false;
  for (const waiting of batch) waiting.inDoubt = true;
  return true;
}

function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown }).code === '23505';
}
