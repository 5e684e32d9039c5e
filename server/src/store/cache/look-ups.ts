import { LRUCache } from 'lru-cache';
import { StoreUnavailable } from '../database-errors.ts';
import { Batcher } from './batcher.ts';
import type { CacheCounts, SizeBound } from './cache.ts';
import { Loading } from './loading.ts';

/** The sender of a request; its network is computed only when needed. */
export interface LookUpClient {
  network(): string;
}

export interface LookUpCounts extends CacheCounts {
  /** Number of look-ups rejected because their network had too many in flight. */
  refused: number;
}

/** Maximum concurrent look-ups of unknown names per client network. */
const maxPerNetwork = 64;
const batchLimit = 256;

interface Entry<V> {
  value: V;
  until: number;
}

/**
 * Cached look-ups of rows by names that callers can invent (keys, experience ids, origins). A row, or its absence, is cached for at most
 * four seconds or until `forget`. Invented names stay cheap: look-ups are batched, absent names have a separate cache so that they evict
 * no existing row, and each client network has a limited number of look-ups in flight. Known rows are refreshed by separate queries,
 * which never queue behind unknown names.
 */
export class LookUps<V> {
  readonly counts: LookUpCounts = { hits: 0, misses: 0, refused: 0 };
  readonly #found: LRUCache<string, Entry<V>>;
  /** Names of rows that existed recently, whether or not the row is still cached. */
  readonly #existing: LRUCache<string, true>;
  readonly #sizeOf: ((value: V) => number) | undefined;
  readonly #absent: LRUCache<string, { until: number }>;
  readonly #loading = new Loading<V | null>();
  /** Look-ups of names whose rows existed recently. */
  readonly #known: Batcher<string, V | null>;
  /** Look-ups of names that may be invented. */
  readonly #unknown: Batcher<string, V | null>;
  /** Look-ups of unknown names in flight, per network. */
  readonly #inFlight = new Map<string, number>();

  /** `find` returns the rows that exist. It receives the previous rows where they are known. */
  constructor(
    max: number,
    find: (names: string[], before: (V | undefined)[]) => Promise<Map<string, V>>,
    bound?: SizeBound<V>,
  ) {
    const findAll = async (names: string[]): Promise<(V | null)[]> => {
      const before = names.map((name) => this.#found.peek(name)?.value);
      const found = await find(names, before);
      return names.map((name) => found.get(name) ?? null);
    };
    this.#found = new LRUCache(bound === undefined ? { max } : { max, maxSize: bound.maxSize });
    this.#sizeOf = bound?.sizeOf;
    this.#existing = new LRUCache({ max });
    this.#absent = new LRUCache({ max });
    this.#known = new Batcher(batchLimit, findAll);
    this.#unknown = new Batcher(batchLimit, findAll);
  }

  /** Returns the row synchronously if it is cached, so that the common case allocates no promise. */
  get(name: string, client?: LookUpClient): V | null | Promise<V | null> {
    const cached = this.recall(name);
    if (cached !== undefined) return cached;
    this.counts.misses++;
    const loading = this.#loading.get(name);
    if (loading !== undefined) return loading;
    // The row existed recently, so the name is not invented.
    if (this.#existing.has(name)) return this.#load(name, this.#known);
    if (client === undefined) return this.#load(name, this.#unknown);
    return this.#withinLimit(client.network(), () => this.#load(name, this.#unknown));
  }

  /** The cached row, `null` if it is known not to exist, `undefined` if not cached. */
  recall(name: string): V | null | undefined {
    const now = performance.now();
    const found = this.#found.get(name);
    if (found !== undefined && found.until > now) {
      this.counts.hits++;
      return found.value;
    }
    const absent = this.#absent.get(name);
    if (absent === undefined || absent.until <= now) return undefined;
    this.counts.hits++;
    return null;
  }

  /** Invalidates the rows that `affected` names (all rows without it) and every cached absence. */
  forget(affected: (value: V) => boolean = () => true): void {
    this.#loading.forget();
    this.#absent.clear();
    for (const entry of this.#found.values())
      if (affected(entry.value)) entry.until = Number.NEGATIVE_INFINITY;
  }

  async #withinLimit<T>(network: string, work: () => Promise<T>): Promise<T> {
    const inFlight = this.#inFlight.get(network) ?? 0;
    if (inFlight >= maxPerNetwork) {
      this.counts.refused++;
      throw new StoreUnavailable('too many look-ups of one client network', { isNetworkLimit: true });
    }
    this.#inFlight.set(network, inFlight + 1);
    try {
      return await work();
    } finally {
      const left = this.#inFlight.get(network)! - 1;
      if (left === 0) this.#inFlight.delete(network);
      else this.#inFlight.set(network, left);
    }
  }

  #load(name: string, batcher: Batcher<string, V | null>): Promise<V | null> {
    return this.#loading.begin(
      name,
      () => batcher.submit(name),
      (value, until) => this.#keep(name, value, until),
    );
  }

  #keep(name: string, value: V | null, until: number): void {
    if (value === null) {
      this.#found.delete(name);
      this.#existing.delete(name);
      this.#absent.set(name, { until });
    } else {
      this.#absent.delete(name);
      this.#existing.set(name, true);
      if (this.#sizeOf === undefined) this.#found.set(name, { value, until });
      else this.#keepSized(name, { value, until }, this.#sizeOf(value));
    }
  }

  /** Caches a row that may be large, and drops expired ones: those that have not been used for longest come first. */
  #keepSized(name: string, entry: Entry<V>, size: number): void {
    this.#found.set(name, entry, { size });
    const now = performance.now();
    for (const other of this.#found.rkeys()) {
      if (this.#found.peek(other)!.until > now) return;
      this.#found.delete(other);
    }
  }
}
