import { LRUCache } from 'lru-cache';
import type { Claim } from '../recording/statement.ts';
import type { Session } from '../sessions/session.ts';
import { freshFor } from '../store/cache/loading.ts';

/** How long an idempotency key replays its launch. */
const replayableFor = 24 * 60 * 60 * 1000;

interface Known {
  fingerprint: string;
  session: Session;
  /** Like every cached value, it expires after a few seconds and is then read from the database again. */
  until: number;
}

/**
 * Caches launches that this process has just replayed: a client that retried once may retry again soon, and a committed launch
 * changes only if its user is forgotten. Not used for responses that report the remaining daily quota, which must come from the database.
 */
export class RecentLaunches {
  readonly #known = new LRUCache<string, Known>({ max: 5_000 });
  /** Rendered responses of cached launches. They contain tokens, so all of them are deleted within `freshFor` milliseconds. */
  readonly #answers = new LRUCache<Session, string>({
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (body) => body.length,
  });
  #clearing: NodeJS.Timeout | undefined;
  #generation = 0;

  /** Counts calls of `forget`. */
  get generation(): number {
    return this.#generation;
  }

  /** The cached launch under a claim, and whether its body is the same. */
  recall({ hash, fingerprint }: Claim): { session: Session; isSameBody: boolean } | undefined {
    const known = this.#known.get(hash);
    if (known === undefined || performance.now() > known.until) return undefined;
    if (Date.now() >= known.session.createdAt.getTime() + replayableFor) return undefined;
    return { session: known.session, isSameBody: known.fingerprint === fingerprint };
  }

  /** `generation`: its value before the launch was read. A launch that was read before a call of `forget` is not cached. */
  remember({ hash, fingerprint }: Claim, session: Session, generation: number): void {
    if (generation !== this.#generation || !isSmall(session)) return;
    this.#known.set(hash, { fingerprint, session, until: performance.now() + freshFor });
  }

  /** Removes the launches that match, or all of them. */
  forget(matches: (session: Session) => boolean = () => true): void {
    this.#generation++;
    for (const [hash, { session }] of this.#known.entries()) {
      if (!matches(session)) continue;
      this.#known.delete(hash);
      this.#answers.delete(session);
    }
  }

  /** The rendered response of a cached launch. */
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

/** Large launches are not cached, so that the cache stays small. */
function isSmall({ given: { metadata, player } }: Session): boolean {
  if (metadata === undefined && player === undefined) return true;
  return JSON.stringify([metadata, player]).length <= 1_000;
}
