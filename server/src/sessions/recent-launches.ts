import { LRUCache } from 'lru-cache';
import { freshFor } from '../store/remembered.ts';
import { type MintToRecord, type Recorded, replayableFor } from './record-statement.ts';
import type { Session } from './store.ts';

interface Known {
  fingerprint: string;
  session: Session;
  /** Like everything kept in memory, it counts for a few seconds; then the database is asked again. */
  until: number;
}

/**
 * Launches under an Idempotency-Key that this process has just made or replayed. A client that retries does so within
 * moments; a launch, once committed, stays what it is. Where the answer tells what is left of the day, that
 * must come from the database.
 */
export class RecentLaunches {
  readonly #known = new LRUCache<string, Known>({ max: 5_000 });
  /** What those were answered with that were recalled. They hold tokens, and none is kept for longer than it may be used. */
  readonly #answers = new LRUCache<Session, string>({
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (body) => body.length,
  });
  #clearing: NodeJS.Timeout | undefined;

  /** What becomes of the retry of a launch that was made or replayed a moment ago. Costs no query. */
  recall({ claim, quota }: MintToRecord): Recorded | undefined {
    if (claim === undefined || quota !== undefined) return undefined;
    const known = this.#known.get(claim.hash);
    if (known === undefined || performance.now() > known.until) return undefined;
    if (Date.now() >= known.session.createdAt.getTime() + replayableFor) return undefined;
    return known.fingerprint === claim.fingerprint
      ? { outcome: 'replayed', session: known.session }
      : { outcome: 'conflict' };
  }

  remember({ claim, quota, session: fresh }: MintToRecord, recorded: Recorded): void {
    if (claim === undefined || quota !== undefined) return;
    const session =
      recorded.outcome === 'recorded'
        ? fresh
        : recorded.outcome === 'replayed'
          ? recorded.session
          : undefined;
    if (session === undefined || !isSmall(session)) return;
    const until = performance.now() + freshFor;
    this.#known.set(claim.hash, { fingerprint: claim.fingerprint, session, until });
  }

  /** The answer to a session that was recalled: a client that retries may do so more than once. */
  answerTo(session: Session): string | undefined {
    return this.#answers.get(session);
  }

  keepAnswer(session: Session, body: string): void {
    this.#answers.set(session, body);
    this.#clearing ??= setTimeout(() => {
      this.#clearing = undefined;
      this.#answers.clear();
    }, freshFor).unref();
  }
}

/** Callers may send much for the player; what is remembered of many launches has to stay little. */
function isSmall({ player }: Session): boolean {
  return player === null || JSON.stringify(player).length <= 500;
}
