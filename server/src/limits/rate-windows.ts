import { Batcher } from '../store/batcher.ts';
import type { Database, Statement } from '../store/database.ts';

/** A window that a mint has to pass, and how many it admits. */
export interface Gate {
  key: string;
  limit: number;
}

/** A place in a window, counted from 1; one beyond the limit for a request that was not admitted. */
export interface Place {
  points: number;
  /** When the window ends. */
  expire: number;
}

export function isAdmitted({ points }: Place, { limit }: Gate): boolean {
  return points <= limit;
}

/** Windows that admit exactly `limit` requests for a key each. A request that they refuse spends nothing. */
interface Windows {
  /** The places in one window after the other. Behind one that refuses nothing is spent, and there is no place. */
  spend(gates: readonly Gate[]): Promise<Place[]>;
  /** Forgets windows that are over. Called now and then, never by a request. */
  clean(): Promise<void>;
}

/** Beyond this many windows in memory, those that are over are dropped at once and not only now and then. */
const tooMany = 100_000;

/** Windows of one process alone. */
export class MemoryWindows implements Windows {
  readonly #windowMs: number;
  readonly #latest = new Map<string, Place>();

  constructor(windowSeconds: number) {
    this.#windowMs = windowSeconds * 1000;
  }

  async spend(gates: readonly Gate[]): Promise<Place[]> {
    const places: Place[] = [];
    for (const gate of gates) {
      const place = this.#pass(gate);
      places.push(place);
      if (!isAdmitted(place, gate)) break;
    }
    return places;
  }

  #pass({ key, limit }: Gate): Place {
    const now = Date.now();
    let latest = this.#latest.get(key);
    if (latest === undefined || latest.expire <= now) latest = { points: 0, expire: now + this.#windowMs };
    if (latest.points >= limit) return { points: limit + 1, expire: latest.expire };
    const place = { points: latest.points + 1, expire: latest.expire };
    if (this.#latest.size >= tooMany) this.#drop(now);
    this.#latest.set(key, place);
    return place;
  }

  async clean(): Promise<void> {
    this.#drop(Date.now());
  }

  #drop(now: number): void {
    for (const [key, { expire }] of this.#latest) if (expire <= now) this.#latest.delete(key);
  }
}

/** Adds to windows or opens them. `granted` tells a writer how many of its requests its own write admitted. */
const upsert = (asked: string) => `
  INSERT INTO rate_windows AS w (key, points, granted, allowed, expire)
  SELECT s.key, least(s.asked, s.allowed), least(s.asked, s.allowed), s.allowed, $1::bigint
    FROM ${asked} AS s(key, allowed, asked) WHERE s.asked > 0 ORDER BY s.key
  ON CONFLICT (key) DO UPDATE
    SET points = CASE WHEN w.expire <= $2::bigint THEN EXCLUDED.points
                      ELSE w.points + greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
        granted = CASE WHEN w.expire <= $2::bigint THEN EXCLUDED.granted
                       ELSE greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
        allowed = EXCLUDED.allowed,
        expire = CASE WHEN w.expire <= $2::bigint THEN EXCLUDED.expire ELSE w.expire END
  RETURNING key, points, granted, expire`;

const first = 'unnest($3::text[], $4::integer[], $5::integer[])';
/** The second window is asked by those whom the first one admits. */
const second = `(
    SELECT t.key, t.allowed, coalesce(sum(f.granted), 0)::integer
      FROM unnest($6::text[], $7::integer[]) AS t(key, allowed)
      LEFT JOIN unnest($3::text[], $8::text[]) AS m(first, second) ON m.second = t.key
      LEFT JOIN first f ON f.key = m.first
     GROUP BY t.key, t.allowed)`;

const spendOne: Statement = { name: 'spend_rate', text: upsert(first) };
const spendTwo: Statement = {
  name: 'spend_two_rates',
  text: `WITH first AS (${upsert(first)}), second AS (${upsert(second)})
         SELECT * FROM first UNION ALL SELECT * FROM second`,
};

/** How many ask for a window, and the newest limit that they know of. */
interface Crowd {
  limit: number;
  count: number;
  /** The key of their next window. */
  next: string | undefined;
}

/**
 * Windows in PostgreSQL, shared by every process. Requests that come while a write is under way are added up
 * and go out together: one row for each key, in the order of the keys, so that writers cannot deadlock. Each request
 * still learns its own place in the window, so a burst is admitted to the very last point and no further.
 */
export class SharedWindows implements Windows {
  readonly #database: Database;
  readonly #windowMs: number;
  readonly #usedUp = new UsedUp();
  /** By the number of windows: which of those that the first one admits go on to a second must not be in doubt. */
  readonly #throughOne = new Batcher<readonly Gate[], Place[]>(1_000, (asked) => this.#spendTogether(asked));
  readonly #throughTwo = new Batcher<readonly Gate[], Place[]>(1_000, (asked) => this.#spendTogether(asked));

  constructor(database: Database, windowSeconds: number) {
    this.#database = database;
    this.#windowMs = windowSeconds * 1000;
  }

  async spend(gates: readonly Gate[]): Promise<Place[]> {
    const closed = this.#usedUp.firstOf(gates);
    const places = await this.#ask(closed === undefined ? gates : gates.slice(0, closed.index));
    const last = places.length - 1;
    if (last >= 0 && !isAdmitted(places[last]!, gates[last]!)) this.#usedUp.add(gates[last]!, places[last]!);
    else if (closed !== undefined) places.push(closed.place);
    return places;
  }

  async #ask(gates: readonly Gate[]): Promise<Place[]> {
    if (gates.length === 0) return [];
    return gates.length === 1 ? this.#throughOne.submit(gates) : this.#throughTwo.submit(gates);
  }

  async clean(): Promise<void> {
    this.#usedUp.clean();
    const text = `DELETE FROM rate_windows WHERE key IN (
      SELECT key FROM rate_windows WHERE expire < $1 LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING 1`;
    for (let batch = 0; batch < 20; batch++) {
      const deleted = await this.#database.query('everyday', { name: 'clean_rate', text }, [Date.now()]);
      if (deleted.length < 5000) return;
    }
  }

  async #spendTogether(asked: (readonly Gate[])[]): Promise<Place[][]> {
    const [firsts, seconds] = [crowds(asked, 0), crowds(asked, 1)];
    const now = Date.now();
    const values: unknown[] = [now + this.#windowMs, now, ...columns(firsts)];
    if (seconds.size > 0) {
      const [keys, limits] = columns(seconds);
      values.push(
        keys,
        limits,
        [...firsts.values()].map(({ next }) => next),
      );
    }
    const rows = await this.#database.query<{ key: string; points: number; granted: number; expire: string }>(
      'everyday',
      seconds.size > 0 ? spendTwo : spendOne,
      values,
    );
    const windows = new Map(
      rows.map(({ key, points, granted, expire }) => [
        key,
        { next: points - granted + 1, left: granted, expire: Number(expire) },
      ]),
    );
    return asked.map((gates) => {
      const places: Place[] = [];
      for (const gate of gates) {
        const window = windows.get(gate.key)!;
        const place = { points: window.left-- > 0 ? window.next++ : gate.limit + 1, expire: window.expire };
        places.push(place);
        if (!isAdmitted(place, gate)) break;
      }
      return places;
    });
  }
}

function crowds(asked: (readonly Gate[])[], depth: number): Map<string, Crowd> {
  const byKey = new Map<string, Crowd>();
  for (const gates of asked) {
    const gate = gates[depth];
    if (gate === undefined) continue;
    const count = (byKey.get(gate.key)?.count ?? 0) + 1;
    byKey.set(gate.key, { limit: gate.limit, count, next: gates[depth + 1]?.key });
  }
  return byKey;
}

function columns(asked: Map<string, Crowd>): [string[], number[], number[]] {
  const all = [...asked.values()];
  return [[...asked.keys()], all.map(({ limit }) => limit), all.map(({ count }) => count)];
}

/** Windows that have nothing left: who asks again is refused from memory until they end, or the limit changes. */
class UsedUp {
  readonly #places = new Map<string, { limit: number; place: Place }>();
  #cleaned = Number.NEGATIVE_INFINITY;

  firstOf(gates: readonly Gate[]): { index: number; place: Place } | undefined {
    if (this.#places.size === 0) return undefined;
    const now = Date.now();
    for (const [index, { key, limit }] of gates.entries()) {
      const known = this.#places.get(key);
      if (known?.limit === limit && known.place.expire > now) return { index, place: known.place };
    }
    return undefined;
  }

  add({ key, limit }: Gate, place: Place): void {
    if (this.#places.size >= tooMany && performance.now() - this.#cleaned > 1_000) this.clean();
    if (this.#places.size < tooMany) this.#places.set(key, { limit, place });
  }

  clean(): void {
    this.#cleaned = performance.now();
    const now = Date.now();
    for (const [key, { place }] of this.#places) if (place.expire <= now) this.#places.delete(key);
  }
}
