import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

export const remove: Statement = {
  name: 'delete_old_sessions',
  text: 'SELECT looked_at, last_id, deleted FROM delete_old_sessions($1, $2, $3, $4)',
};
/** Maximum sessions that one statement examines. Small, because a mint on the same core waits for it. */
const batchSize = 10;
/** Pause after a batch, as a multiple of its duration, so that deletion uses about a fifth of a database core. `maxPauseMs` limits it. */
const pausePerBatch = 4;
/** Maximum pause in milliseconds, so that one slow batch does not stop the deletion. */
const maxPauseMs = 1_000;
/** Maximum milliseconds per round, pauses included; shorter than the interval between two rounds. */
const roundMs = 9_000;
/** Milliseconds to pause after a full pass over the table, since no further session is due for a while. */
const restMs = 60_000;

export interface RetentionDeps {
  database: Database;
  log: Logger;
}

/**
 * Deletes sessions that ended more than the retention period ago, in small batches with pauses between them. A batch locks nothing that a
 * mint needs.
 */
export class Retention {
  readonly #deps: RetentionDeps;
  readonly #days: number;
  readonly #stopped = new AbortController();
  /** The last session id examined; earlier ones were deleted or are not due yet. */
  #after = '';
  #restUntil = 0;

  constructor(deps: RetentionDeps, days: number) {
    this.#deps = deps;
    this.#days = days;
  }

  async run(at = new Date(), timeMs = roundMs): Promise<void> {
    if (at.getTime() < this.#restUntil) return;
    const { log } = this.#deps;
    const before = new Date(at.getTime() - this.#days * 86_400_000);
    const until = performance.now() + timeMs;
    let deleted = 0;
    for (;;) {
      const began = performance.now();
      deleted += await this.#deleteBatch(before);
      if (this.#after === '') {
        this.#restUntil = at.getTime() + restMs;
        break;
      }
      const now = performance.now();
      const pauseMs = Math.min((now - began) * pausePerBatch, maxPauseMs);
      if (now + pauseMs >= until || !(await this.#pause(pauseMs))) break;
    }
    if (deleted > 0)
      log.info({ sessions: deleted, days: this.#days }, 'deleted sessions older than the retention period');
  }

  /** A running round ends after its current batch. */
  stop(): void {
    this.#stopped.abort();
  }

  /** Returns the number of deleted sessions. `#after` is empty if there are no further ones to examine. */
  async #deleteBatch(before: Date): Promise<number> {
    const [batch] = await this.#deps.database.query<{
      looked_at: number;
      last_id: string;
      deleted: number;
    }>('everyday', remove, [
      this.#after,
      firstIdAt('ses', before.getTime()),
      before.toISOString(),
      batchSize,
    ]);
    this.#after = (batch?.looked_at ?? 0) < batchSize ? '' : (batch?.last_id ?? '');
    return batch?.deleted ?? 0;
  }

  /** Returns false if the process stops. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopped;
    await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
    return !signal.aborted;
  }
}
