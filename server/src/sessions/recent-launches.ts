import { LRUCache } from 'lru-cache';
import type { Claim } from '../recording/statement.ts';
import { freshFor } from '../store/loading.ts';
import type { Session } from './session.ts';

/** How long a key replays its launch. */
const replayableFor = 24 * 60 * 60 * 1000;

interface Known {
  fingerprint: string;
  session: Session;
  /** Like everything kept in memory, it counts for a few seconds; then the database is asked again. */
  until: number;
}

/**
 * Launches under an Idempotency-Key that this process has just replayed. A client that has retried may do so again within
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

  /** The launch under a claim, if it was replayed a moment ago, and whether it came with this body. */
  recall({ hash, fingerprint }: Claim): { session: Session; isSameBody: boolean } | undefined {
    const known = this.#known.get(hash);
    if (known === undefined || performance.now() > known.until) return undefined;
    if (Date.now() >= known.session.createdAt.getTime() + replayableFor) return undefined;
    return { session: known.session, isSameBody: known.fingerprint === fingerprint };
  }

  remember({ hash, fingerprint }: Claim, session: Session): void {
    if (!isSmall(session)) return;
    this.#known.set(hash, { fingerprint, session, until: performance.now() + freshFor });
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

/** Callers may send much along; what is remembered of many launches has to stay little. */
function isSmall({ given: { metadata, player } }: Session): boolean {
  if (metadata === undefined && player === undefined) return true;
  return JSON.stringify([metadata, player]).length <= 1_000;
}
