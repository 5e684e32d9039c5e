import { LRUCache } from 'lru-cache';
import { Loading } from './loading.ts';

interface Entry<V> {
  value: V;
  until: number;
}

export interface CacheCounts {
  hits: number;
  misses: number;
}

/** Bounds the sum of the sizes of all cached values, for values that can be large. */
export interface SizeBound<V> {
  maxSize: number;
  sizeOf(value: V): number;
}

/** Caches database values for at most four seconds after their query was sent, or until `forget`. */
export class Cache<V> {
  readonly counts: CacheCounts = { hits: 0, misses: 0 };
  readonly #entries: LRUCache<string, Entry<V>>;
  readonly #loading = new Loading<V>();
  readonly #load: (key: string) => Promise<V>;

  constructor(max: number, load: (key: string) => Promise<V>, { maxSize, sizeOf }: SizeBound<V>) {
    this.#entries = new LRUCache({ max, maxSize, sizeCalculation: ({ value }) => sizeOf(value) });
    this.#load = load;
  }

  /** Returns the value synchronously if it is cached, so that the common case allocates no promise. */
  get(key: string): V | Promise<V> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.until > performance.now()) {
      this.counts.hits++;
      return entry.value;
    }
    this.counts.misses++;
    return this.#loading.get(key) ?? this.#fetch(key);
  }

  /** Removes the values that `affected` names; without it, all values. */
  forget(affected: (value: V) => boolean = () => true): void {
    this.#loading.forget();
    for (const [key, entry] of this.#entries.entries()) if (affected(entry.value)) this.#entries.delete(key);
  }

  #fetch(key: string): Promise<V> {
    return this.#loading.begin(
      key,
      () => this.#load(key),
      (value, until) => this.#entries.set(key, { value, until }),
    );
  }
}
