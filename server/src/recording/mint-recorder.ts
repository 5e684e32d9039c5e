import { Batcher } from '../store/cache/batcher.ts';
import type { Database } from '../store/database.ts';
import { isOutage } from '../store/database-errors.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
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

export interface MintRecorderOptions extends RecorderOptions {
  /** Milliseconds that a mint with an idempotency key may be queued before its lock is probed for a holder in another process. */
  probeAfterMs?: number;
}

/**
 * Records each mint exactly once. A claim is pending while its mint is in this recorder: within the process by membership in `#pending`,
 * across processes by an advisory lock that PostgreSQL releases with the transaction.
 */
export class MintRecorder {
  readonly #database: Database;
  readonly #recorder: Recorder<MintToRecord, Recorded>;
  readonly #probeAfterMs: number;
  readonly #pending = new Set<string>();
  readonly #known: Batcher<Claim, boolean>;
  readonly #launches: Batcher<MintToRecord, Recorded | undefined>;
  #probeTimer: NodeJS.Timeout | undefined;

  constructor(database: Database, { probeAfterMs = 100, ...options }: MintRecorderOptions = {}) {
    this.#database = database;
    this.#probeAfterMs = probeAfterMs;
    this.#known = new Batcher(256, (claims) => areKnown(database, claims));
    this.#launches = new Batcher(256, (mints) => findLaunches(database, mints));
    this.#recorder = new Recorder(
      database,
      {
        send: (mints, isRetry) => sendBatch(database, encodeBatch(mints), isRetry),
        weight,
        onQueued: ({ claim }) => {
          if (claim !== undefined) this.#scheduleProbe();
        },
      },
      options,
    );
  }

  get queueLength(): number {
    return this.#recorder.queueLength;
  }

  record(mint: MintToRecord): Promise<Recorded> {
    return mint.claim === undefined ? this.#recorder.record(mint) : this.#claim(mint, mint.claim);
  }

  /** Resolves when every submitted mint has settled. */
  drain(): Promise<void> {
    return this.#recorder.drain();
  }

  async #claim(mint: MintToRecord, { hash }: Claim): Promise<Recorded> {
    if (this.#pending.has(hash)) return this.#whilePending(mint);
    this.#pending.add(hash);
    try {
      return await this.#recorder.record(mint);
    } finally {
      this.#pending.delete(hash);
    }
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

  /**
   * A write may block on a row lock. A queued mint whose key is pending in another process must still get its 409 without that wait,
   * so the probe looks for the holder of the lock on a separate connection, without taking the lock.
   */
  #scheduleProbe(): void {
    if (this.#database.engine === 'embedded' || this.#probeTimer !== undefined) return;
    this.#probeTimer = setTimeout(() => {
      this.#probeTimer = undefined;
      void this.#probeQueue();
    }, this.#probeAfterMs);
  }

  async #probeQueue(): Promise<void> {
    const keyed = this.#recorder.queued().filter(({ claim }) => claim !== undefined);
    if (keyed.length === 0) return;
    try {
      const held = await areHeld(
        this.#database,
        keyed.map(({ claim }) => claim!),
      );
      for (const n of held) this.#recorder.withdraw(keyed[n]!, { outcome: 'in_progress' });
    } catch {
      // Probe again: otherwise these mints would wait for the blocked write and fail with it.
      if (this.#recorder.queued().some(({ claim }) => claim !== undefined)) this.#scheduleProbe();
    }
  }
}

function weight({ session }: MintToRecord): number {
  if (session === undefined) return 0;
  let length = session.given.length;
  for (const cell of session.cells) if (typeof cell === 'string') length += cell.length;
  return length;
}
