import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database, Statement } from '../store/database.ts';

const spend: Statement = {
  name: 'spend_rate',
  text: `INSERT INTO rate_windows AS w (key, points, expire)
         SELECT s.key, s.points, $3::bigint FROM unnest($1::text[], $2::integer[]) AS s(key, points) ORDER BY s.key
         ON CONFLICT (key) DO UPDATE
           SET points = CASE WHEN w.expire <= $4::bigint THEN EXCLUDED.points ELSE w.points + EXCLUDED.points END,
               expire = CASE WHEN w.expire <= $4::bigint THEN EXCLUDED.expire ELSE w.expire END
         RETURNING key, points, expire`,
};

interface Window {
  points: number;
  expire: number;
}

interface Spending {
  key: string;
  resolve: (window: Window) => void;
  reject: (error: unknown) => void;
}

/**
 * Windows in PostgreSQL, shared by every process. Requests that come while a write is under way are added up
 * and go out together: one row for each key, in the order of the keys, so that writers cannot deadlock. Each request
 * still learns its own place in the window, so a burst is admitted to the very last point and no further.
 */
export class SharedWindows {
  readonly #database: Database;
  readonly #windowMs: number;
  #queue: Spending[] = [];
  #writing = false;

  constructor(database: Database, windowSeconds: number) {
    this.#database = database;
    this.#windowMs = windowSeconds * 1000;
  }

  spend(key: string): Promise<Window> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ key, resolve, reject });
      if (!this.#writing) void this.#write();
    });
  }

  /** Forgets windows that are over. Called now and then, never by a request. */
  async clean(): Promise<void> {
    const text = `DELETE FROM rate_windows WHERE key IN (
      SELECT key FROM rate_windows WHERE expire < $1 LIMIT 5000 FOR UPDATE SKIP LOCKED)`;
    await this.#database.query('everyday', { name: 'clean_rate', text }, [Date.now()]);
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const byKey = groupByKey(batch);
      try {
        const now = Date.now();
        const keys = [...byKey.keys()];
        const points = keys.map((key) => byKey.get(key)!.length);
        const rows = await this.#database.query<{ key: string; points: number; expire: string }>(
          'everyday',
          spend,
          [keys, points, now + this.#windowMs, now],
        );
        for (const row of rows) {
          const members = byKey.get(row.key) ?? [];
          const before = row.points - members.length;
          for (const [i, member] of members.entries()) {
            member.resolve({ points: before + i + 1, expire: Number(row.expire) });
          }
        }
      } catch (error) {
        for (const member of batch) member.reject(error);
      }
    }
    this.#writing = false;
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

/** The library's PostgreSQL limiter with its blocking and bookkeeping, over windows that are written together. */
export class SharedRateLimiter extends RateLimiterPostgres {
  readonly #windows: SharedWindows;

  constructor(windows: SharedWindows, options: { keyPrefix: string; points: number; duration: number }) {
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
  async _upsert(key: string): Promise<{ rows: [Window] }> {
    return { rows: [await this.#windows.spend(key)] };
  }
}
