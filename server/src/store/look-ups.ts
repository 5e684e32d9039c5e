import { LRUCache } from 'lru-cache';
import { unavailable } from '../errors.ts';
import { Batcher } from './batcher.ts';
import type { CacheCounts } from './cache.ts';
import { Loading } from './loading.ts';

/** Who asks: the network that a request counts under. It is worked out only where that matters. */
export interface Asker {
  network(): string;
}

export interface LookUpCounts extends CacheCounts {
  /** Look-ups that were not made, because one network had too many under way. */
  refused: number;
}

/** How many names that nobody has heard of one network may have looked up at a time. */
const mostOfOneNetwork = 64;
const batchLimit = 256;

interface Entry<V> {
  value: V;
  until: number;
}

/**
 * Rows that requests name, by names that anybody can make up. A row, or that there is none, is used for at most four
 * seconds after it was asked for, or until `forget`. Strangers cost little: names are looked up many in one query, what does
 * not exist has a memory of its own and pushes out nothing that does, and one network has only so many look-ups of new names at
 * a time. Rows that exist are asked for again by queries of their own, which wait for no stranger.
 */
export class LookUps<V> {
  readonly counts: LookUpCounts = { hits: 0, misses: 0, refused: 0 };
  readonly #found: LRUCache<string, Entry<V>>;
  readonly #absent: LRUCache<string, { until: number }>;
  readonly #loading = new Loading<V | null>();
  readonly #again: Batcher<string, V | null>;
  readonly #first: Batcher<string, V | null>;
  /** Look-ups of new names that are under way, by network. */
  readonly #asking = new Map<string, number>();

  /** `find` answers with those rows that exist. It is told what they were before, where that is known. */
  constructor(max: number, find: (names: string[], before: (V | undefined)[]) => Promise<Map<string, V>>) {
    const findAll = async (names: string[]): Promise<(V | null)[]> => {
      const before = names.map((name) => this.#found.peek(name)?.value);
      const found = await find(names, before);
      return names.map((name) => found.get(name) ?? null);
    };
    this.#found = new LRUCache({ max });
    this.#absent = new LRUCache({ max });
    this.#again = new Batcher(batchLimit, findAll);
    this.#first = new Batcher(batchLimit, findAll);
  }

  /** The row itself when it is at hand, so that the common case costs no promise. */
  get(name: string, asker?: Asker): V | null | Promise<V | null> {
    const known = this.recall(name);
    if (known !== undefined) return known;
    this.counts.misses++;
    const loading = this.#loading.get(name);
    if (loading !== undefined) return loading;
    // It was there a moment ago, so it is no invention.
    if (this.#found.has(name)) return this.#load(name, this.#again);
    if (asker === undefined) return this.#load(name, this.#first);
    return this.#withinBounds(asker.network(), () => this.#load(name, this.#first));
  }

  /** The row when it is at hand, null when it is known that there is none, and nothing otherwise. */
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

  /** Asks again for every row that `affected` names, without it for all, and for whatever did not exist. */
  forget(affected: (value: V) => boolean = () => true): void {
    this.#loading.forget();
    this.#absent.clear();
    for (const entry of this.#found.values())
      if (affected(entry.value)) entry.until = Number.NEGATIVE_INFINITY;
  }

  async #withinBounds<T>(network: string, work: () => Promise<T>): Promise<T> {
    const asking = this.#asking.get(network) ?? 0;
    if (asking >= mostOfOneNetwork) {
      this.counts.refused++;
      throw unavailable(undefined, { toStranger: true });
    }
    this.#asking.set(network, asking + 1);
    try {
      return await work();
    } finally {
      const left = this.#asking.get(network)! - 1;
      if (left === 0) this.#asking.delete(network);
      else this.#asking.set(network, left);
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
      this.#absent.set(name, { until });
    } else {
      this.#absent.delete(name);
      this.#found.set(name, { value, until });
    }
  }
}
