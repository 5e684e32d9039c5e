import type { Logger } from 'pino';
import { firstIdAt } from '../primitives/ids.ts';
import type { Database, Statement } from '../store/database.ts';

const remove: Statement = {
  name: 'delete_old_sessions',
  text: 'SELECT looked_at, last_id, deleted FROM delete_old_sessions($1, $2, $3, $4)',
};
const batchSize = 500;
/** Maximum milliseconds per round, so that a backlog is worked off without delaying other housekeeping. */
const roundMs = 2_000;
/** Pause after a full pass over the table, since nothing new is due for a while. */
const restMs = 60_000;

export interface RetentionDeps {
  database: Database;
  log: Logger;
}

/** Deletes sessions that ended more than the retention period ago, in batches. A batch locks nothing that a mint needs. */
export class Retention {
  readonly #deps: RetentionDeps;
  readonly #days: number;
  /** The last session id examined; earlier ones were deleted or are not due yet. */
  #after = '';
  #restUntil = 0;

  constructor(deps: RetentionDeps, days: number) {
    this.#deps = deps;
    this.#days = days;
  }

  async run(at = new Date(), timeMs = roundMs): Promise<void> {
    if (at.getTime() < this.#restUntil) return;
    const { database, log } = this.#deps;
    const before = new Date(at.getTime() - this.#days * 86_400_000);
    const until = performance.now() + timeMs;
    let deleted = 0;
    do {
      const [batch] = await database.query<{ looked_at: number; last_id: string; deleted: number }>(
        'everyday',
        remove,
        [this.#after, firstIdAt('ses', before.getTime()), before.toISOString(), batchSize],
      );
      deleted += batch?.deleted ?? 0;
      const isLast = (batch?.looked_at ?? 0) < batchSize;
      this.#after = isLast ? '' : (batch?.last_id ?? '');
      if (isLast) this.#restUntil = at.getTime() + restMs;
    } while (this.#after !== '' && performance.now() < until);
    if (deleted > 0)
      log.info({ sessions: deleted, days: this.#days }, 'deleted sessions past the retention period');
  }
}
