import { LRUCache } from 'lru-cache';
import { unavailable } from '../errors.ts';

/** How long a remembered value may be used when no notification of a change arrives: below the promised 5 s. */
export const freshFor = 4_000;

interface Entry<V> {
  value: V;
  until: number;
}

export interface CacheCounts {
  hits: number;
  misses: number;
}

/**
 * Values of the database kept in memory. A value is used for at most four seconds after the moment its
 * query was sent, or until `forget`; a query under way while something is forgotten is not kept.
 */
export class Cache<V> {
  readonly counts: CacheCounts = { hits: 0, misses: 0 };
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #loading = new Map<string, { promise: Promise<V>; until: number }>();
  readonly #load: (key: string) => Promise<V>;
  #generation = 0;

  constructor(max: number, load: (key: string) => Promise<V>) {
    this.#entries = new LRUCache({ max });
    this.#load = load;
  }

  /** The value itself when it is at hand, so that the common case costs no promise. */
  get(key: string): V | Promise<V> {
    const known = this.recall(key);
    if (known !== undefined) return known;
    this.counts.misses++;
    const loading = this.#loading.get(key);
    return loading !== undefined && loading.until > performance.now() ? loading.promise : this.#fetch(key);
  }

  /** The value when it is at hand, and nothing otherwise. */
  recall(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until <= performance.now()) return undefined;
    this.counts.hits++;
    return entry.value;
  }

  /** Forgets every value that `affected` names; without it, all. */
  forget(affected?: (value: V) => boolean): void {
    this.#generation++;
    this.#loading.clear();
    if (affected === undefined) {
      this.#entries.clear();
      return;
    }
    for (const [key, entry] of this.#entries.entries()) {
      if (affected(entry.value)) this.#entries.delete(key);
    }
  }

  #fetch(key: string): Promise<V> {
    const generation = this.#generation;
    const until = performance.now() + freshFor;
    const promise = this.#load(key)
      .then((value) => {
        // An answer that took so long is already as old as a value may get.
        if (performance.now() > until) throw unavailable(tooLate());
        if (generation === this.#generation) this.#entries.set(key, { value, until });
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key)?.promise === promise) this.#loading.delete(key);
      });
    this.#loading.set(key, { promise, until });
    return promise;
  }
}

/** Why a value that was asked for cannot be used. */
export function tooLate(): Error {
  return new Error('the database took so long that its answer is too old to go by');
}
