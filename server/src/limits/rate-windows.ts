import { RateLimiterPostgres } from 'rate-limiter-flexible';
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
  resolve: (place: Place) => void;
  reject: (error: unknown) => void;
}

/**
 * Windows in PostgreSQL, shared by every process. Requests that come while a write is under way are added up
 * and go out together: one row for each key, in the order of the keys, so that writers cannot deadlock. Each request
 * still learns its own place in the window, so a burst is admitted to the very last point and no further.
 */
export class SharedWindows implements Windows {
  readonly #database: Database;
  readonly #windowMs: number;
  #queue: Spending[] = [];
  #writing = false;

  constructor(database: Database, windowSeconds: number) {
    this.#database = database;
    this.#windowMs = windowSeconds * 1000;
  }

  spend(key: string, limit: number): Promise<Place> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ key, limit, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  async clean(): Promise<void> {
    const text = `DELETE FROM rate_windows WHERE key IN (
      SELECT key FROM rate_windows WHERE expire < $1 LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING 1`;
    for (let batch = 0; batch < 20; batch++) {
      const deleted = await this.#database.query('everyday', { name: 'clean_rate', text }, [Date.now()]);
      if (deleted.length < 5000) return;
    }
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      await this.#spendTogether(batch).catch((error) => {
        for (const member of batch) member.reject(error);
      });
    }
    this.#writing = false;
  }

  async #spendTogether(batch: Spending[]): Promise<void> {
    const byKey = groupByKey(batch);
    const groups = [...byKey.values()];
    const now = Date.now();
    const rows = await this.#database.query<{ key: string; points: number; granted: number; expire: string }>(
      'everyday',
      spend,
      [
        [...byKey.keys()],
        groups.map((members) => members.length),
        // A limit that changed while they came together: the newest counts.
        groups.map((members) => members.at(-1)!.limit),
        now + this.#windowMs,
        now,
      ],
    );
    for (const row of rows) {
      const before = row.points - row.granted;
      for (const [i, { limit, resolve }] of (byKey.get(row.key) ?? []).entries()) {
        resolve({ points: i < row.granted ? before + i + 1 : limit + 1, expire: Number(row.expire) });
      }
    }
  }
}

function groupByKey(batch: Spending[]): Map<string, Spending[]> {
  const groups = new Map<string, Spending[]>();
  for (const spending of batch) {
    const group = groups.get(spending.key);
    if (group) group.push(spending);
    else groups.set(spending.key, [spending]);
  }
  return groups;
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
