import { spendOne } from '../limits/rate-windows.ts';
import { ApiError } from '../primitives/errors.ts';
import type { Database, Statement, Transaction } from '../store/database.ts';

const windowMs = 60_000;
const maxFailures = 5;

/** A window that ends later than two lengths from now was opened before the clock was set back, and no longer counts. */
export const count: Statement = {
  name: 'count_failed_logins',
  text: `SELECT w.points, w.expire - clock.ms AS left
           FROM rate_windows w, (SELECT (extract(epoch FROM now()) * 1000)::bigint AS ms) clock
          WHERE w.key = $1 AND w.expire > clock.ms AND w.expire <= clock.ms + ${2 * windowMs}`,
};

/**
 * Limits failed sign-ins to five a minute per client network, in the database, so that all processes share the limit. Attempts of one
 * network run one after another, so that concurrent ones cannot exceed it.
 */
export class FailedLogins {
  readonly #database: Database;
  /** The latest attempt of each network. */
  readonly #last = new Map<string, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs one attempt. Throws 429 without running it if the network has failed too often. */
  async attempt<T>(network: string, work: () => Promise<T>): Promise<T> {
    const own = (this.#last.get(network) ?? Promise.resolve()).then(() => this.#run(network, work));
    const ended = own.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(network, ended);
    try {
      return await own;
    } finally {
      if (this.#last.get(network) === ended) this.#last.delete(network);
    }
  }

  async #run<T>(network: string, work: () => Promise<T>): Promise<T> {
    const { points, leftMs } = await this.#failures(network);
    if (points >= maxFailures) throw tooMany(leftMs);
    return work();
  }

  /** Counts a failure, in the transaction that records it. */
  async count(tx: Transaction, network: string): Promise<void> {
    await tx.query(spendOne, [windowMs, [keyOf(network)], [maxFailures], [1]]);
  }

  async #failures(network: string): Promise<{ points: number; leftMs: number }> {
    const [found] = await this.#database.query<{ points: number; left: string }>('everyday', count, [
      keyOf(network),
    ]);
    return { points: found?.points ?? 0, leftMs: Number(found?.left ?? 0) };
  }
}

function keyOf(network: string): string {
  return `login:${network}`;
}

function tooMany(leftMs: number): ApiError {
  const seconds = Math.max(Math.ceil(leftMs / 1000), 1);
  return new ApiError('TOO_MANY_LOGINS', {
    message: `Too many failed sign-ins from this network. Try again in ${seconds} s.`,
    details: { retryAfterSeconds: seconds },
    headers: { 'Retry-After': String(seconds) },
  });
}
