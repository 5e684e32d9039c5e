import { LRUCache } from 'lru-cache';
import { Batcher } from '../store/cache/batcher.ts';
import type { Database, Statement } from '../store/database.ts';

/** A rate window that a mint must pass, with its limit. */
export interface Gate {
  key: string;
  limit: number;
}

/** A request's position in a window, counted from 1; `limit + 1` if it was rejected. */
export interface Position {
  points: number;
  /** Milliseconds until the window ends. */
  leftMs: number;
}

export function isAdmitted({ points }: Position, { limit }: Gate): boolean {
  return points <= limit;
}

/** Windows that admit exactly `limit` requests per key. A rejected request is not counted. */
interface Windows {
  /** Counts the request in each window in order and stops at the first refusal: later windows are not charged. */
  spend(gates: readonly Gate[]): Promise<Position[]>;
  /** The position of the last admitted request in each window. Counts nothing. */
  look(gates: readonly Gate[]): Promise<Position[]>;
  /** Deletes expired windows. Called periodically, never by a request. */
  clean(): Promise<void>;
}

interface Window {
  points: number;
  until: number;
}

/** Windows in the memory of one process, on the monotonic clock. */
export class MemoryWindows implements Windows {
  readonly #windowMs: number;
  /**
   * Two generations of windows, each as long as a window lasts. When a generation ends, every window of the one before has expired and
   * its whole map is dropped, so that expired windows are never searched for.
   */
  #young = new Map<string, Window>();
  #old = new Map<string, Window>();
  #began = performance.now();

  constructor(windowSeconds: number) {
    this.#windowMs = windowSeconds * 1000;
  }

  async spend(gates: readonly Gate[]): Promise<Position[]> {
    const positions: Position[] = [];
    for (const gate of gates) {
      const position = this.#pass(gate);
      positions.push(position);
      if (!isAdmitted(position, gate)) break;
    }
    return positions;
  }

  async look(gates: readonly Gate[]): Promise<Position[]> {
    const now = performance.now();
    return gates.map(({ key }) => {
      const { points, until } = this.#current(key, now);
      return { points, leftMs: until - now };
    });
  }

  #pass({ key, limit }: Gate): Position {
    const now = performance.now();
    const window = this.#current(key, now);
    const leftMs = window.until - now;
    if (window.points >= limit) return { points: limit + 1, leftMs };
    if (window.points++ === 0) this.#young.set(key, window);
    return { points: window.points, leftMs };
  }

  /** The open window of this key, or a new one, which is not kept yet. */
  #current(key: string, now: number): Window {
    this.#age(now);
    const latest = this.#young.get(key) ?? this.#old.get(key);
    return latest !== undefined && latest.until > now ? latest : { points: 0, until: now + this.#windowMs };
  }

  async clean(): Promise<void> {
    this.#age(performance.now());
  }

  #age(now: number): void {
    if (now < this.#began + this.#windowMs) return;
    // After two window lengths without a request both generations have expired.
    this.#old = now < this.#began + 2 * this.#windowMs ? this.#young : new Map();
    this.#young = new Map();
    this.#began = now;
  }
}

/** The database's clock, which all processes share. */
const now = '(extract(epoch FROM now()) * 1000)::bigint';
/**
 * A window that ends more than two window lengths from now was opened before the clock was set back, and is replaced. Windows that end
 * between one and two lengths from now are kept: a statement that began after this one may have opened them.
 */
const isOver = `(w.expire <= ${now} OR w.expire > ${now} + 2 * $1::bigint)`;

/** Adds the admitted requests to open windows, or opens new ones. `granted` is the number of requests that this statement admitted. */
const upsert = (asked: string) => `
  INSERT INTO rate_windows AS w (key, points, granted, allowed, expire)
  SELECT s.key, least(s.asked, s.allowed), least(s.asked, s.allowed), s.allowed, ${now} + $1::bigint
    FROM ${asked} AS s(key, allowed, asked) WHERE s.asked > 0 ORDER BY s.key
  ON CONFLICT (key) DO UPDATE
    SET points = CASE WHEN ${isOver} THEN EXCLUDED.points
                      ELSE w.points + greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
        granted = CASE WHEN ${isOver} THEN EXCLUDED.granted
                       ELSE greatest(least(EXCLUDED.granted, EXCLUDED.allowed - w.points), 0) END,
        allowed = EXCLUDED.allowed,
        expire = CASE WHEN ${isOver} THEN EXCLUDED.expire ELSE w.expire END
  RETURNING key, points, granted, expire - ${now} AS left`;

const first = 'unnest($2::text[], $3::integer[], $4::integer[])';
/** Charges the second window only with the requests that the first one admitted. */
const second = `(
    SELECT t.key, t.allowed, coalesce(sum(f.granted), 0)::integer
      FROM unnest($5::text[], $6::integer[]) AS t(key, allowed)
      LEFT JOIN unnest($2::text[], $7::text[]) AS m(first, second) ON m.second = t.key
      LEFT JOIN first f ON f.key = m.first
     GROUP BY t.key, t.allowed)`;

export const spendOne: Statement = { name: 'spend_rate', text: upsert(first) };
export const spendTwo: Statement = {
  name: 'spend_two_rates',
  text: `WITH first AS (${upsert(first)}), second AS (${upsert(second)})
         SELECT * FROM first UNION ALL SELECT * FROM second`,
};
export const look: Statement = {
  name: 'look_at_rates',
  text: `SELECT w.key, w.points, w.expire - ${now} AS left FROM rate_windows w
          WHERE w.key = ANY ($2::text[]) AND NOT ${isOver}`,
};
const cleaning = 5_000;
export const removeOver: Statement = {
  name: 'clean_rate',
  text: `DELETE FROM rate_windows WHERE key IN (
           SELECT w.key FROM rate_windows w WHERE ${isOver} LIMIT ${cleaning} FOR UPDATE SKIP LOCKED) RETURNING 1`,
};

/** Requests waiting for a window, and the latest limit among them. */
interface Demand {
  limit: number;
  count: number;
  /** The key of the window that they pass next. */
  next: string | undefined;
}

/**
 * Windows in PostgreSQL, shared by all processes. Requests that arrive while a write is in flight are summed and written together, one
 * row per key in key order, so that writers cannot deadlock. Each request still gets its own position in the window, so a burst admits
 * exactly the limit.
 */
export class SharedWindows implements Windows {
  readonly #database: Database;
  readonly #windowMs: number;
  readonly #exhausted = new ExhaustedWindows();
  /** One batcher per number of windows: within a batch, every admitted request must continue to the same windows. */
  readonly #oneWindow = new Batcher<readonly Gate[], Position[]>(1_000, (asked) =>
    this.#spendTogether(asked),
  );
  readonly #twoWindows = new Batcher<readonly Gate[], Position[]>(1_000, (asked) =>
    this.#spendTogether(asked),
  );

  constructor(database: Database, windowSeconds: number) {
    this.#database = database;
    this.#windowMs = windowSeconds * 1000;
  }

  async spend(gates: readonly Gate[]): Promise<Position[]> {
    const closed = this.#exhausted.firstOf(gates);
    const positions = await this.#ask(closed === undefined ? gates : gates.slice(0, closed.index));
    const last = positions.length - 1;
    if (last >= 0 && !isAdmitted(positions[last]!, gates[last]!))
      this.#exhausted.add(gates[last]!, positions[last]!);
    else if (closed !== undefined) positions.push(closed.position);
    return positions;
  }

  async look(gates: readonly Gate[]): Promise<Position[]> {
    if (gates.length === 0) return [];
    const keys = gates.map(({ key }) => key);
    const rows = await this.#database.query<{ key: string; points: number; left: string }>('everyday', look, [
      this.#windowMs,
      keys,
    ]);
    return keys.map((key) => {
      const row = rows.find((one) => one.key === key);
      return { points: row?.points ?? 0, leftMs: Number(row?.left ?? this.#windowMs) };
    });
  }

  async #ask(gates: readonly Gate[]): Promise<Position[]> {
    if (gates.length === 0) return [];
    return gates.length === 1 ? this.#oneWindow.submit(gates) : this.#twoWindows.submit(gates);
  }

  async clean(): Promise<void> {
    for (let batch = 0; batch < 20; batch++) {
      const deleted = await this.#database.query('everyday', removeOver, [this.#windowMs]);
      if (deleted.length < cleaning) return;
    }
  }

  async #spendTogether(asked: (readonly Gate[])[]): Promise<Position[][]> {
    const [firsts, seconds] = [demandOf(asked, 0), demandOf(asked, 1)];
    const values: unknown[] = [this.#windowMs, ...columns(firsts)];
    if (seconds.size > 0) {
      const [keys, limits] = columns(seconds);
      values.push(
        keys,
        limits,
        [...firsts.values()].map(({ next }) => next),
      );
    }
    const rows = await this.#database.query<{ key: string; points: number; granted: number; left: string }>(
      'everyday',
      seconds.size > 0 ? spendTwo : spendOne,
      values,
    );
    const windows = new Map(
      rows.map(({ key, points, granted, left }) => [
        key,
        { next: points - granted + 1, free: granted, leftMs: Number(left) },
      ]),
    );
    return asked.map((gates) => {
      const positions: Position[] = [];
      for (const gate of gates) {
        const window = windows.get(gate.key)!;
        const position = {
          points: window.free-- > 0 ? window.next++ : gate.limit + 1,
          leftMs: window.leftMs,
        };
        positions.push(position);
        if (!isAdmitted(position, gate)) break;
      }
      return positions;
    });
  }
}

function demandOf(asked: (readonly Gate[])[], depth: number): Map<string, Demand> {
  const byKey = new Map<string, Demand>();
  for (const gates of asked) {
    const gate = gates[depth];
    if (gate === undefined) continue;
    const count = (byKey.get(gate.key)?.count ?? 0) + 1;
    byKey.set(gate.key, { limit: gate.limit, count, next: gates[depth + 1]?.key });
  }
  return byKey;
}

function columns(asked: Map<string, Demand>): [string[], number[], number[]] {
  const all = [...asked.values()];
  return [[...asked.keys()], all.map(({ limit }) => limit), all.map(({ count }) => count)];
}

/** Exhausted windows. Requests are rejected from memory until the window ends or its limit changes. */
class ExhaustedWindows {
  /** Evicted entries cost a database write, which then rejects the request. */
  readonly #windows = new LRUCache<string, Window & { limit: number }>({ max: 20_000 });

  firstOf(gates: readonly Gate[]): { index: number; position: Position } | undefined {
    if (this.#windows.size === 0) return undefined;
    const now = performance.now();
    for (const [index, { key, limit }] of gates.entries()) {
      const known = this.#windows.get(key);
      if (known?.limit === limit && known.until > now)
        return { index, position: { points: known.points, leftMs: known.until - now } };
    }
    return undefined;
  }

  add({ key, limit }: Gate, { points, leftMs }: Position): void {
    this.#windows.set(key, { points, limit, until: performance.now() + leftMs });
  }
}
