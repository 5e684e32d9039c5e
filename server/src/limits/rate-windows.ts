import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { Batcher } from '../store/batcher.ts';
import type { Database, Statement } from '../store/database.ts';

/** A place in a window, counted from 1; one beyond the limit for a request that was not admitted. */
interface Place {
  points: number;
  expire: number;
}

/** Windows that admit exactly `limit` requests for a key each. A request that they refuse spends nothing. */
interface Windows {
  spend(key: string, limit: number): Promise<Place>;
  /** Forgets windows that are over. Called now and then, never by a request. */
  clean(): Promise<void>;
}

/** Beyond this many windows, those that are over are dropped at once and not only now and then. */
const tooMany = 100_000;

/** Windows of one process alone. */
export class MemoryWindows implements Windows {
  readonly #windowMs: number;
  readonly #places = new Map<string, Place>();

  constructor(windowSeconds: number) {
    this.#windowMs = windowSeconds * 1000;
  }

  async spend(key: string, limit: number): Promise<Place> {
    const now = Date.now();
    let latest = this.#places.get(key);
    if (latest === undefined || latest.expire <= now) latest = { points: 0, expire: now + this.#windowMs };
    if (latest.points >= limit) return { points: limit + 1, expire: latest.expire };
    const place = { points: latest.points + 1, expire: latest.expire };
    if (this.#places.size >= tooMany) await this.clean();
    this.#places.set(key, place);
    return place;
  }

  async clean(): Promise<void> {
    const now = Date.now();
    for (const [key, { expire }] of this.#places) if (expire <= now) this.#places.delete(key);
  }
}

/** `granted` tells a writer how many of its requests its own write admitted. */
const spend: Statement = {
  name: 'spend_rate',
  text: `INSERT INTO rate_windows AS w (key, points, granted, allowed, expire)
         SELECT s.key, least(s.asked, s.allowed), least(s.asked, s.allowed), s.allowed, $4::bigint
           FROM unnest($1::text[], $2::integer[], $3::integer[]) AS s(key, asked, allowed) ORDER BY s.key
         ON CONFLICT (key) DO UPDATE
           SET points = CASE WHEN w.expire <= $5::bigint THEN EXCLUDED.points
                             ELSE w.points + greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
               granted = CASE WHEN w.expire <= $5::bigint THEN EXCLUDED.granted
                              ELSE greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
               allowed = EXCLUDED.allowed,
               expire = CASE WHEN w.expire <= $5::bigint THEN EXCLUDED.expire ELSE w.expire END
         RETURNING key, points, granted, expire`,
};

interface Spending {
  key: string;
  limit: number;
}

/**
 * Windows in PostgreSQL, shared by every process. Requests that come while a write is under way are added up
 * and go out together: one row for each key, in the order of the keys, so that writers cannot deadlock. Each request
 * still learns its own place in the window, so a burst is admitted to the very last point and no further.
 */
export class SharedWindows implements Windows {
  readonly #database: Database;
  readonly #windowMs: number;
  readonly #spending: Batcher<Spending, Place>;

  constructor(database: Database, windowSeconds: number) {
    this.#database = database;
    this.#windowMs = windowSeconds * 1000;
    this.#spending = new Batcher(1_000, (asked) => this.#spendTogether(asked));
  }

  spend(key: string, limit: number): Promise<Place> {
    return this.#spending.submit({ key, limit });
  }

  async clean(): Promise<void> {
    const text = `DELETE FROM rate_windows WHERE key IN (
      SELECT key FROM rate_windows WHERE expire < $1 LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING 1`;
    for (let batch = 0; batch < 20; batch++) {
      const deleted = await this.#database.query('everyday', { name: 'clean_rate', text }, [Date.now()]);
      if (deleted.length < 5000) return;
    }
  }

  async #spendTogether(asked: Spending[]): Promise<Place[]> {
    // Of a limit that changed while they came together, the newest counts.
    const byKey = new Map<string, { count: number; limit: number }>();
    for (const { key, limit } of asked) byKey.set(key, { count: (byKey.get(key)?.count ?? 0) + 1, limit });
    const groups = [...byKey.values()];
    const now = Date.now();
    const rows = await this.#database.query<{ key: string; points: number; granted: number; expire: string }>(
      'everyday',
      spend,
      [
        [...byKey.keys()],
        groups.map(({ count }) => count),
        groups.map(({ limit }) => limit),
        now + this.#windowMs,
        now,
      ],
    );
    const windows = new Map(
      rows.map(({ key, points, granted, expire }) => [
        key,
        { next: points - granted + 1, left: granted, expire: Number(expire) },
      ]),
    );
    return asked.map(({ key, limit }) => {
      const window = windows.get(key)!;
      return { points: window.left-- > 0 ? window.next++ : limit + 1, expire: window.expire };
    });
  }
}

/** The library's limiter with its blocking and bookkeeping, over windows of our own. */
export class WindowRateLimiter extends RateLimiterPostgres {
  readonly #windows: Windows;

  constructor(windows: Windows, options: { keyPrefix: string; points: number; duration: number }) {
    super({
      ...options,
      storeClient: windows,
      storeType: 'client',
      tableName: 'rate_windows',
      tableCreated: true,
      clearExpiredByTimeout: false,
      // A client that has used its window up is refused from memory until the window ends.
      inMemoryBlockOnConsumed: options.points + 1,
    });
    this.#windows = windows;
  }

  /** The library's only write. */
  async _upsert(key: string): Promise<{ rows: [Place] }> {
    return { rows: [await this.#windows.spend(key, this.points)] };
  }
}
